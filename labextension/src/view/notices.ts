/** What the reader should know: error and hint, where the card stands, warnings, which model. */

import type { RunView } from '../protocol/generated';
import { h, lineList, setClass, setHidden, setTextOrHide } from './elements';
import type { Part } from './elements';
import { section } from './section';
import { WORDS } from '../words/catalogue';

/** The error of a run that failed, and a note about the card itself. */
export function failure(): Part<RunView> & { note(text: string): void } {
  const note = h('p', 'bc-note');
  note.setAttribute('role', 'note');
  note.hidden = true;
  const error = h('p', 'bc-error');
  error.dir = 'auto';
  const hint = h('p');
  hint.dir = 'auto';
  const el = h('div', 'bc-failure', note, error, hint);
  el.hidden = true;
  const show = (): void => {
    setHidden(el, note.hidden && error.hidden && hint.hidden);
  };
  return {
    el,
    note(text) {
      setTextOrHide(note, text);
      show();
    },
    update(view) {
      setClass(error, `bc-error bc-is-${view.state === 'failed' ? 'bad' : 'warn'}`);
      setTextOrHide(error, view.error);
      setTextOrHide(hint, view.hint);
      show();
    }
  };
}

export function warnings(): Part<RunView> {
  const part = section('warnings');
  const list = lineList('bc-is-warn');
  part.body.append(list.el);
  part.setTitle(WORDS.warnings);
  return {
    el: part.el,
    update(view) {
      const lines = view.isSaved ? view.warnings : [...view.warnings, WORDS.notSaved];
      part.show(lines.length > 0);
      list.update(lines);
    }
  };
}

export function modelNote(): Part<RunView> {
  const part = section('model');
  const text = h('p', 'bc-is-warn');
  part.body.append(text);
  part.setTitle(WORDS.model);
  part.el.classList.add('bc-oneline');
  return {
    el: part.el,
    update(view) {
      part.show(Boolean(view.modelNote));
      setTextOrHide(text, view.modelNote);
    }
  };
}
