/** One row per agent: queued, running, waiting, done; the critical path is outlined. */

import type { AgentView, RunView } from '../protocol/generated';
import { denseRows } from './dense-rows';
import { KeyedList, h } from './elements';
import { duration } from './figures';
import { LARGE, needsReader } from './groups';
import { isGoing } from './header';
import type { Moment } from './moment';
import { foldable } from './section';
import { timeRow } from './time-row';
import type { Row } from './time-row';
import { WORDS } from '../words/catalogue';

/** Colours that agents take in turn; the last is for calls that are no workers. */
const PALETTE = 6;
/** Names shown of the critical path. */
const MAX_NAMES = 6;
/** While a run goes on, its axis grows in steps: what has ended stands still in between. */
const AXIS_MS = 10_000;
const AXIS_STEP = 1.25;

export type Timeline = {
  readonly el: HTMLElement;
  update(view: RunView, moment: Moment): void;
  tick(view: RunView, moment: Moment): void;
};

export function timeline(): Timeline {
  const part = foldable('time');
  const el = h('div', 'bc-times');
  el.setAttribute('role', 'list');
  el.setAttribute('aria-label', WORDS.time);
  const rest = denseRows();
  part.body.append(el, rest.el);
  const list = new KeyedList<Row>(el, row => row.agent.contextId, timeRow);

  const draw = (view: RunView, moment: Moment): void => {
    const rows = rowsOf(view, moment);
    const named = view.agents.length > LARGE ? namedRows(rows) : rows;
    list.update(named);
    rest.update(rows.filter(row => !named.includes(row)));
  };
  return {
    el: part.el,
    update(view, moment) {
      part.show(view.agents.length > 0 && view.startedMs > 0);
      part.setTitle(WORDS.time, timeLine(view, moment));
      part.setOpen(isGoing(view));
      draw(view, moment);
    },
    tick(view, moment) {
      part.setTitle(WORDS.time, timeLine(view, moment));
      if (part.isOpen) {
        draw(view, moment);
      }
    }
  };
}

function rowsOf(view: RunView, moment: Moment): readonly Row[] {
  const colors = agentColors(view.agents);
  const from = view.startedMs;
  const now = Math.max(from + 1, view.endedMs ?? wholeSeconds(from, moment.now()));
  const to = view.endedMs === undefined ? from + axisMs(now - from) : now;
  return view.agents.map(agent => ({ agent, color: colors.get(agent.contextId) ?? '', from, to, now }));
}

/** What goes on grows once a second, as the clock does, however many updates come in between. */
function wholeSeconds(from: number, now: number): number {
  return from + Math.floor((now - from) / 1_000) * 1_000;
}

function axisMs(elapsedMs: number): number {
  const steps = Math.ceil(Math.log(elapsedMs / AXIS_MS) / Math.log(AXIS_STEP));
  return AXIS_MS * AXIS_STEP ** Math.max(0, steps);
}

/** Of many rows those that a reader looks for; a name beside each of the others would be noise. */
function namedRows(rows: readonly Row[]): readonly Row[] {
  const troubled = rows.filter(({ agent }) => agent.kind === 'worker' && needsReader(agent.state));
  const shown = new Set(troubled.slice(0, LARGE));
  return rows.filter(row => row.agent.kind !== 'worker' || row.agent.isCritical || shown.has(row));
}

/** A colour class per context id; workers take turns, other calls share one. Many have none. */
export function agentColors(agents: readonly AgentView[]): ReadonlyMap<string, string> {
  const colors = new Map<string, string>();
  let next = 0;
  for (const agent of agents) {
    const index = agent.kind === 'worker' ? next++ % PALETTE : PALETTE;
    colors.set(agent.contextId, agents.length > LARGE ? '' : `bc-c${index}`);
  }
  return colors;
}

function timeLine(view: RunView, moment: Moment): string {
  const names = view.agents.filter(agent => agent.isCritical).map(agent => agent.role);
  const shown = names.slice(0, MAX_NAMES).join(' → ') + (names.length > MAX_NAMES ? ' → …' : '');
  const total = duration((view.endedMs ?? moment.now()) - view.startedMs);
  return names.length ? `${total} · ${WORDS.critical({ names: shown })}` : total;
}
