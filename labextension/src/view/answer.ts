/** The answer: plain text while it streams, formatted text at its end. */

import type { AnswerView, RunView } from '../protocol/generated';
import type { Actions } from './actions';
import { drawBlocks } from './blocks';
import { h, setTextOrHide } from './elements';
import { count } from './figures';
import { isGoing } from './header';
import { plainText } from './plain-text';
import { section } from './section';
import type { Change, StreamedText } from './streamed-text';
import { ANSWER_NOTES, WORDS } from '../words/catalogue';

/** Characters drawn of a finished answer. */
const MAX_DRAWN = 400_000;

export class Answer {
  readonly el: HTMLElement;
  private readonly part = section('answer');
  private readonly text = document.createTextNode('');
  private readonly plain = h('div', 'bc-plain', this.text);
  private readonly formatted = h('div', 'bc-text');
  private readonly note = h('p', 'bc-dim');
  private readonly trouble = h('p', 'bc-is-warn');
  private finished: AnswerView | undefined;
  private isStreaming = true;

  constructor(private readonly actions: Actions) {
    this.el = this.part.el;
    this.plain.dir = 'auto';
    this.part.body.append(this.note, this.plain, this.formatted, this.trouble);
  }

  update(view: RunView, streamed: StreamedText | undefined): void {
    const value = view.answer;
    const isWritten = value.state === 'streaming';
    this.part.setTitle(WORDS.answer, isWritten ? WORDS.beingWritten : '');
    setTextOrHide(this.trouble, ANSWER_NOTES[value.state]);
    this.el.classList.toggle('bc-streams', isWritten);
    this.isStreaming = isWritten || (value.state === 'none' && isGoing(view));
    if (this.isStreaming) {
      this.showUnfinished(streamed?.text || value.text);
    } else {
      this.showFinished(value);
    }
  }

  /** Take streamed text: what is new is appended, so the text is never set anew for it. */
  stream(change: Change, streamed: StreamedText): void {
    if (!this.isStreaming || change.kind === 'none') {
      return;
    }
    if (change.kind === 'append') {
      this.text.appendData(plainText(change.text));
      this.plain.hidden = false;
    } else {
      this.showPlain(change.text);
    }
    setTextOrHide(this.note, cutNote(streamed));
    this.part.show(streamed.text.length > 0);
  }

  private showUnfinished(content: string): void {
    this.finished = undefined;
    this.formatted.replaceChildren();
    if (this.text.data !== plainText(content)) {
      this.showPlain(content);
    }
    this.part.show(content.length > 0);
  }

  private showFinished(value: AnswerView): void {
    this.part.show(value.text.length > 0 || value.blocks.length > 0);
    if (value === this.finished) {
      return;
    }
    this.finished = value;
    this.formatted.replaceChildren(drawBlocks(value.blocks, this.actions));
    this.showPlain(value.blocks.length ? '' : value.text.slice(0, MAX_DRAWN));
    const isLong = !value.blocks.length && value.text.length > MAX_DRAWN;
    const note = isLong ? WORDS.answerLong(count(MAX_DRAWN), count(value.text.length)) : '';
    setTextOrHide(this.note, note);
  }

  private showPlain(content: string): void {
    this.text.data = plainText(content);
    this.plain.hidden = !content;
  }
}

function cutNote(streamed: StreamedText): string {
  return streamed.base > 0 ? WORDS.answerCut(count(streamed.text.length), count(streamed.end)) : '';
}
