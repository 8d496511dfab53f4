/** The answer: formatted as far as it is settled, plain text where it is being written. */

import type { AnswerView, RunView } from '../protocol/generated';
import { ANSWER_NOTES, WORDS } from '../words/catalogue';
import type { Actions } from './actions';
import { BlockList } from './block-list';
import { h, setTextOrHide } from './elements';
import { count } from './figures';
import { GrowingText } from './growing-text';
import { isGoing } from './header';
import { section } from './section';
import { StreamedText } from './streamed-text';
import type { Change } from './streamed-text';

/** Characters drawn of a finished answer that is not formatted. */
const MAX_DRAWN = 400_000;

export class Answer {
  readonly el: HTMLElement;
  private readonly part = section('answer');
  private readonly blocks: BlockList;
  private readonly tail = new GrowingText();
  private readonly note = h('p', 'bc-dim');
  private readonly trouble = h('p', 'bc-is-warn');
  private finished: AnswerView | undefined;
  private isStreaming = true;

  constructor(actions: Actions) {
    this.el = this.part.el;
    this.blocks = new BlockList(actions);
    this.part.body.append(this.note, this.blocks.el, this.tail.el, this.trouble);
  }

  update(view: RunView, streamed: StreamedText = new StreamedText()): void {
    const value = view.answer;
    const isWritten = value.state === 'streaming';
    this.part.setTitle(WORDS.answer, isWritten ? WORDS.beingWritten : '');
    setTextOrHide(this.trouble, ANSWER_NOTES[value.state]);
    this.el.classList.toggle('bc-streams', isWritten);
    const wasStreaming = this.isStreaming;
    this.isStreaming = isWritten || (value.state === 'none' && isGoing(view));
    if (!this.isStreaming) {
      this.showFinished(value);
    } else if (!wasStreaming || !streamed.end) {
      this.showUnfinished(streamed, value.text);
    }
  }

  /** Take streamed text. */
  stream(change: Change, streamed: StreamedText): void {
    if (!this.isStreaming || change.kind === 'none') {
      return;
    }
    if (change.kind === 'append') {
      this.tail.append(change.text);
      this.part.show(true);
    } else {
      this.showUnfinished(streamed, '');
    }
    setTextOrHide(this.note, cutNote(streamed));
  }

  private showUnfinished(streamed: StreamedText, fallback: string): void {
    this.finished = undefined;
    const { blocks, text, code } = streamed;
    this.blocks.show(blocks, false);
    this.tail.set(code ? streamed.from(code.offset) : text || fallback, code);
    this.part.show(blocks.length > 0 || text.length > 0 || fallback.length > 0);
  }

  private showFinished(value: AnswerView): void {
    this.part.show(value.text.length > 0 || value.blocks.length > 0);
    if (value === this.finished) {
      return;
    }
    this.finished = value;
    this.blocks.show(value.blocks, true);
    this.tail.set(value.blocks.length ? '' : value.text.slice(0, MAX_DRAWN));
    const isLong = !value.blocks.length && value.text.length > MAX_DRAWN;
    const note = isLong ? WORDS.answerLong({ shown: count(MAX_DRAWN), whole: count(value.text.length) }) : '';
    setTextOrHide(this.note, note);
  }
}

function cutNote(streamed: StreamedText): string {
  const figures = { shown: count(streamed.text.length), whole: count(streamed.end) };
  return streamed.lost > 0 ? WORDS.answerCut(figures) : '';
}
