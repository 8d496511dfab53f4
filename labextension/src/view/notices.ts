/** What the reader should know: error and hint, where the card stands, warnings, which model. */

import type { RunView } from '../protocol/generated';
import { commandLine } from './command-line';
import { h, lineList, setClass, setHidden, setText, setTextOrHide } from './elements';
import type { Part } from './elements';
import { section } from './section';
import { WORDS, spoken } from '../words/catalogue';

/** States of a run that can be gone on with. */
export const RESUMABLE: ReadonlySet<RunView['state']> = new Set(['interrupted', 'cancelled', 'failed']);

/** The error of a run that failed, how to go on with it, and a note about the card itself. */
export function failure(): Part<RunView> & { note(text: string): void } {
  const note = h('p', 'bc-note');
  note.setAttribute('role', 'note');
  note.hidden = true;
  const error = h('p', 'bc-error');
  error.dir = 'auto';
  const hint = h('p');
  hint.dir = 'auto';
  const command = h('code', 'bc-command');
  const resume = h('p', 'bc-resume', h('span', 'bc-dim', WORDS.resumeWith), command);
  const el = h('div', 'bc-failure', note, error, hint, resume);
  resume.hidden = true;
  el.hidden = true;
  const show = (): void => {
    setHidden(el, note.hidden && error.hidden && hint.hidden && resume.hidden);
  };
  return {
    el,
    note(text) {
      setTextOrHide(note, text);
      show();
    },
    update(view) {
      setClass(error, `bc-error bc-is-${view.state === 'failed' ? 'bad' : 'warn'}`);
      setTextOrHide(error, spoken(view.error));
      setTextOrHide(hint, spoken(view.hint));
      setHidden(resume, !RESUMABLE.has(view.state));
      setText(command, commandLine('resume', view.sessionId));
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
      const told = view.warnings.map(spoken);
      const lines = view.isSaved ? told : [...told, WORDS.notSaved];
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
      setTextOrHide(text, spoken(view.modelNote));
    }
  };
}
