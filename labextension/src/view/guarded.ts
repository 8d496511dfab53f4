/** A card that cannot be drawn falls back to text; a reader never sees an empty place. */

import type { RunView } from '../protocol/generated';
import type { Actions } from './actions';
import { h } from './elements';
import type { Drawing } from './run';
import { draw } from './run';
import { RUN_STATES, WORDS, spoken } from '../words/catalogue';

/** `draw`, whose drawing turns into text when any of its steps fails. */
export function drawGuarded(el: HTMLElement, view: RunView, actions: Actions): Drawing {
  let latest = view;
  let drawing: Drawing | undefined;
  const attempt = (step: () => void): void => {
    try {
      step();
    } catch (error) {
      console.error('braincode: the card could not be drawn', error);
      drawing = undefined;
      showText(el, `${WORDS.drawFailed}\n\n${asText(latest)}`);
    }
  };
  attempt(() => {
    drawing = draw(el, view, actions);
  });
  return {
    update: next => {
      latest = next;
      attempt(() => (drawing ? drawing.update(next) : showText(el, asText(next))));
    },
    stream: piece => attempt(() => drawing?.stream(piece)),
    setClock: kernelMs => attempt(() => drawing?.setClock(kernelMs)),
    note: text => attempt(() => drawing?.note(text)),
    dispose: () => drawing?.dispose()
  };
}

export function showText(el: HTMLElement, text: string): void {
  el.replaceChildren(h('pre', 'bc-run bc-fallback', text));
}

function asText(view: RunView): string {
  const lines = [view.title, RUN_STATES[view.state].word, spoken(view.error), view.answer.text];
  return lines.filter(Boolean).join('\n\n');
}
