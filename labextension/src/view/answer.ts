/** The answer: plain text while it streams, formatted text at its end. */

import type { AnswerView, RunView } from '../protocol/generated';
import { drawBlocks } from './blocks';
import { h, setTextOrHide } from './elements';
import { count } from './figures';
import { isGoing } from './header';
import { plainText } from './plain-text';
import type { Actions } from './run';
import { section } from './section';
import type { Change, StreamedText } from './streamed-text';
import { ANSWER_NOTES, WORDS } from './words';

/** Characters drawn of a finished answer. */
const MAX_DRAWN = 400_000;

export type Answer = {
  readonly el: HTMLElement;
  update(view: RunView, streamed: StreamedText | undefined): void;
  stream(change: Change, streamed: StreamedText): void;
};

export function answer(actions: Actions): Answer {
  const part = section('answer');
  const text = document.createTextNode('');
  const plain = h('div', 'bc-plain', text);
  plain.dir = 'auto';
  const formatted = h('div', 'bc-text');
  const note = h('p', 'bc-dim');
  const trouble = h('p', 'bc-is-warn');
  part.body.append(note, plain, formatted, trouble);
  let finished: AnswerView | undefined;
  let isStreaming = true;

  const showPlain = (content: string): void => {
    text.data = plainText(content);
    plain.hidden = !content;
  };
  const showFinished = (value: AnswerView): void => {
    if (value === finished) {
      return;
    }
    finished = value;
    formatted.replaceChildren(drawBlocks(value.blocks, actions));
    showPlain(value.blocks.length ? '' : value.text.slice(0, MAX_DRAWN));
    const isLong = !value.blocks.length && value.text.length > MAX_DRAWN;
    setTextOrHide(note, isLong ? WORDS.answerLong(count(MAX_DRAWN), count(value.text.length)) : '');
  };
  const showStream = (streamed: StreamedText): void => {
    setTextOrHide(note, cutNote(streamed));
    part.show(streamed.text.length > 0);
  };
  return {
    el: part.el,
    update(view, streamed) {
      const value = view.answer;
      part.setTitle(WORDS.answer, value.state === 'streaming' ? WORDS.beingWritten : '');
      setTextOrHide(trouble, ANSWER_NOTES[value.state]);
      isStreaming = value.state === 'streaming' || (value.state === 'none' && isGoing(view));
      part.el.classList.toggle('bc-streams', value.state === 'streaming');
      if (isStreaming) {
        finished = undefined;
        formatted.replaceChildren();
        const content = streamed?.text || value.text;
        if (text.data !== plainText(content)) {
          showPlain(content);
        }
        part.show(content.length > 0);
        return;
      }
      part.show(value.text.length > 0 || value.blocks.length > 0);
      showFinished(value);
    },
    stream(change, streamed) {
      if (!isStreaming || change.kind === 'none') {
        return;
      }
      if (change.kind === 'append') {
        text.appendData(plainText(change.text));
        plain.hidden = false;
      } else {
        showPlain(change.text);
      }
      showStream(streamed);
    }
  };
}

function cutNote(streamed: StreamedText): string {
  return streamed.base > 0 ? WORDS.answerCut(count(streamed.text.length), count(streamed.end)) : '';
}
