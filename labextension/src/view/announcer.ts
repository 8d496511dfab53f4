/** Speaks changes of state to screen readers; streamed text is never spoken. */

import type { RunView } from '../protocol/generated';
import { h } from './elements';
import { isGoing, progressText } from './header';
import { AGENT_STATES, EFFECTS, RUN_STATES, WORDS, agentName } from '../words/catalogue';

/** Above this many workers only troubled ones are named. */
const FEW_WORKERS = 6;

export type Announcer = { readonly el: HTMLElement; update(view: RunView): void };

export function announcer(): Announcer {
  const el = h('div', 'bc-spoken');
  el.setAttribute('role', 'status');
  el.setAttribute('aria-live', 'polite');
  let previous: RunView | undefined;
  return {
    el,
    update(view) {
      const lines = previous ? changes(previous, view) : [];
      previous = view;
      if (lines.length) {
        el.textContent = lines.join('. ');
      }
    }
  };
}

function changes(before: RunView, after: RunView): string[] {
  const lines: string[] = [];
  if (progressText(before) !== progressText(after)) {
    lines.push(`${WORDS.card}${WORDS.colon}${isGoing(after) ? progressText(after) : RUN_STATES[after.state].word}`);
  }
  const asked = new Set(before.approvals.map(approval => approval.approvalId));
  for (const { approvalId, role, effect, action } of after.approvals) {
    if (!asked.has(approvalId)) {
      lines.push(WORDS.asksAloud({ role, effect: EFFECTS[effect], action }));
    }
  }
  const known = new Map(before.agents.map(agent => [agent.contextId, agent.state]));
  const workers = after.agents.filter(agent => agent.kind === 'worker');
  for (const agent of workers) {
    const { word, tone } = AGENT_STATES[agent.state];
    const isNew = known.get(agent.contextId) !== agent.state && agent.endedMs !== undefined;
    if (isNew && (workers.length <= FEW_WORKERS || tone === 'bad')) {
      lines.push(`${agentName(agent)}${WORDS.colon}${word}`);
    }
  }
  return lines;
}
