/** What was allowed for the rest of the run: each call with its exact text, and a way to take it back. */

import type { GrantView, RunView } from '../protocol/generated';
import { WORDS } from '../words/catalogue';
import type { Actions } from './actions';
import { KeyedList, button, h, setTextOrHide } from './elements';
import type { Part } from './elements';
import { drawExact } from './exact';
import { isGoing } from './header';
import { section } from './section';

export function grants(actions: Actions): Part<RunView> {
  const part = section('grants');
  part.setTitle(WORDS.grants);
  const list = new KeyedList<GrantView>(
    part.body,
    grant => grant.approvalId,
    grant => drawGrant(actions, grant)
  );
  return {
    el: part.el,
    update(view) {
      const held = isGoing(view) ? view.grants : [];
      part.show(held.length > 0);
      list.update(held);
    }
  };
}

function drawGrant(actions: Actions, grant: GrantView): Part<GrantView> {
  const action = h('code', 'bc-action', grant.action);
  const uses = h('span', 'bc-dim');
  const text = h('pre', 'bc-exact');
  text.tabIndex = 0;
  text.setAttribute('aria-label', WORDS.exactText);
  drawExact(text, grant.shown, grant.isDiff);
  // The action of a command says where it runs; what runs stands in its first line.
  const first = h('code', 'bc-first', grant.isDiff ? '' : (grant.shown.split('\n')[0] ?? ''));
  const summary = h('summary', '', h('b', '', grant.role), ' ', action, ' ', first, ' ', uses);
  const exact = h('details', 'bc-grant', summary, text);
  const revoke = button(WORDS.revoke, 'bc-button bc-revoke', () => {
    actions.revoke?.(grant.approvalId);
    revoke.disabled = true;
  });
  revoke.hidden = actions.revoke === undefined;
  revoke.title = WORDS.revokeHint;
  revoke.setAttribute('aria-label', WORDS.revokeOf({ action: grant.action }));
  return {
    el: h('div', 'bc-granted', exact, revoke),
    update: ({ uses: count }) => setTextOrHide(uses, count ? WORDS.grantUses({ count }) : '')
  };
}
