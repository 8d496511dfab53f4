/** Brain, mode, who planned, and the session id to go on with. */

import type { RunView } from '../protocol/generated';
import { copyButton } from './blocks';
import { h, setAttribute, setGroup, setHidden, setText, setTextOrHide } from './elements';
import type { Part } from './elements';
import { foldable } from './section';
import { oneLine, shortened } from './plain-text';
import { WORDS, spoken } from '../words/catalogue';

/** Characters of a session id that are shown; all are copied. */
const SHOWN_ID = 12;
const SHOWN_REQUEST = 80;

export function footer(): Part<RunView> {
  const brain = h('b');
  const mode = h('span');
  const models = h('span');
  const id = h('code');
  let reference = '';
  const copy = copyButton(WORDS.copy, WORDS.copy, () => reference);
  const session = h('span', 'bc-session', `${WORDS.session} `, id, ' ', copy);
  const el = h('div', 'bc-foot', h('span', '', `${WORDS.brain} `, brain, mode), models, session);
  return {
    el,
    update(view) {
      reference = `@@${view.sessionId}`;
      setText(brain, view.brainId || '–');
      setText(mode, [view.mode, spoken(view.routing), spoken(view.recorded)].filter(Boolean).map(text => ` · ${text}`).join(''));
      setAttribute(mode, 'title', spoken(view.routingReason) || null);
      setTextOrHide(models, view.models.join(WORDS.comma));
      setText(id, `@@${shortened(view.sessionId, SHOWN_ID)}`);
      setAttribute(id, 'title', reference);
      setAttribute(copy, 'aria-label', WORDS.copySession({ id: reference }));
      setHidden(session, !view.sessionId);
    }
  };
}

/** The whole request, when the header shows only its first line. */
export function wholeRequest(): Part<RunView> {
  const part = foldable('whole');
  const text = h('pre', 'bc-quoted');
  text.tabIndex = 0;
  setGroup(text, WORDS.request);
  part.body.append(text);
  return {
    el: part.el,
    update(view) {
      const shown = oneLine(view.title);
      part.show(view.request.trim() !== '' && oneLine(view.request) !== shown);
      part.setTitle(WORDS.request, shortened(oneLine(view.request), SHOWN_REQUEST));
      setText(text, view.request);
    }
  };
}
