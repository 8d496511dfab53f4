/** One row per agent: queued, running, waiting, done; the critical path is outlined. */

import type { AgentView, RunView } from '../protocol/generated';
import { KeyedList, h, setAttribute, setClass, setText } from './elements';
import type { Part } from './elements';
import { count, duration } from './figures';
import { isGoing } from './header';
import type { Moment } from './moment';
import { foldable } from './section';
import { AGENT_STATES, WORDS, agentName } from '../words/catalogue';

/** Colours that agents take in turn; the last is for calls that are no workers. */
const PALETTE = 6;
/** From this many rows the rows are lower and the list scrolls. */
const DENSE_ROWS = 20;
/** Names shown of the critical path. */
const MAX_NAMES = 6;

export type Timeline = {
  readonly el: HTMLElement;
  update(view: RunView, moment: Moment): void;
  tick(view: RunView, moment: Moment): void;
};

type Row = { readonly agent: AgentView; readonly color: string; readonly from: number; readonly to: number };

export function timeline(): Timeline {
  const part = foldable('time');
  const el = h('div', 'bc-times');
  el.setAttribute('role', 'list');
  el.setAttribute('aria-label', WORDS.time);
  const scroll = h('div', '', el);
  part.body.append(scroll);
  const list = new KeyedList<Row>(el, row => row.agent.contextId, () => timeRow());

  const draw = (view: RunView, moment: Moment): void => {
    const colors = agentColors(view.agents);
    const from = view.startedMs;
    const to = Math.max(from + 1, view.endedMs ?? moment.now());
    list.update(
      view.agents.map(agent => ({ agent, color: colors.get(agent.contextId) ?? '', from, to }))
    );
  };
  return {
    el: part.el,
    update(view, moment) {
      part.show(view.agents.length > 0 && view.startedMs > 0);
      part.setTitle(WORDS.time, timeLine(view, moment));
      part.setOpen(isGoing(view));
      setScroll(scroll, view.agents.length > DENSE_ROWS, WORDS.time);
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

/** A colour class per context id; workers take turns, other calls share one. */
export function agentColors(agents: readonly AgentView[]): ReadonlyMap<string, string> {
  const colors = new Map<string, string>();
  let next = 0;
  for (const agent of agents) {
    const index = agent.kind === 'worker' ? next++ % PALETTE : PALETTE;
    colors.set(agent.contextId, `bc-c${index}`);
  }
  return colors;
}

/** Make what holds a long list a region that scrolls and can be reached by keyboard. */
export function setScroll(el: HTMLElement, isLong: boolean, label: string): void {
  el.classList.toggle('bc-long', isLong);
  setAttribute(el, 'tabindex', isLong ? '0' : null);
  setAttribute(el, 'role', isLong ? 'region' : null);
  setAttribute(el, 'aria-label', isLong ? label : null);
}

function timeLine(view: RunView, moment: Moment): string {
  const names = view.agents.filter(agent => agent.isCritical).map(agent => agent.role);
  const shown = names.slice(0, MAX_NAMES).join(' → ') + (names.length > MAX_NAMES ? ' → …' : '');
  const total = duration((view.endedMs ?? moment.now()) - view.startedMs);
  return names.length ? `${total} · ${WORDS.critical({ names: shown })}` : total;
}

function timeRow(): Part<Row> {
  const name = h('span', 'bc-name');
  const queued = h('i', 'bc-queued');
  const busy = h('i');
  const bar = h('div', 'bc-bar', queued, busy);
  const figures = h('span', 'bc-num');
  const el = h('div', 'bc-row', name, bar, figures);
  el.setAttribute('role', 'listitem');
  return {
    el,
    update({ agent, color, from, to }) {
      const [time, tokens] = [timeOf(agent, to), count(agent.usage.totalTokens)];
      setText(name, agentName(agent));
      setAttribute(name, 'title', agent.goal || null);
      setText(figures, figuresOf(agent, time, tokens));
      setAttribute(figures, 'title', figuresOf(agent, time, tokens) || null);
      const bar = WORDS.barOf({ name: agentName(agent), state: AGENT_STATES[agent.state].word });
      setAttribute(el, 'aria-label', [bar, time].filter(Boolean).join(WORDS.comma));
      place(queued, agent.queuedMs, agent.startedMs ?? agent.endedMs ?? to, from, to);
      place(busy, agent.startedMs, agent.endedMs ?? to, from, to);
      setClass(busy, barClass(agent, color));
    }
  };
}

/** How the bar of a state differs from a plain one. */
const BAR_CLASSES: Readonly<Record<AgentView['state'], string>> = {
  queued: '',
  waiting: 'bc-waits',
  running: 'bc-runs',
  waiting_for_approval: 'bc-asks',
  completed: '',
  unstructured: '',
  blocked: 'bc-broken',
  failed: 'bc-broken',
  cancelled: 'bc-stopped',
  cut_off: 'bc-stopped',
  interrupted: 'bc-stopped'
};

function barClass(agent: AgentView, color: string): string {
  return [color, agent.isCritical ? 'bc-critical' : '', BAR_CLASSES[agent.state]].filter(Boolean).join(' ');
}

function timeOf(agent: AgentView, to: number): string {
  return agent.startedMs === undefined ? '' : duration((agent.endedMs ?? to) - agent.startedMs);
}

/** The state stands there when it is not plain from the bar. */
function figuresOf(agent: AgentView, time: string, tokens: string): string {
  const isPlain = time !== '' && (agent.state === 'completed' || agent.state === 'running');
  const parts = [isPlain ? '' : AGENT_STATES[agent.state].word, time, agent.usage.totalTokens ? tokens : ''];
  return parts.filter(Boolean).join(' · ');
}

function place(bar: HTMLElement, start: number | undefined, end: number, from: number, to: number): void {
  bar.hidden = start === undefined || end <= start;
  if (start === undefined) {
    return;
  }
  const percent = (at: number): number => (100 * (Math.min(Math.max(at, from), to) - from)) / (to - from);
  bar.style.left = `${percent(start).toFixed(2)}%`;
  bar.style.width = `${Math.max(0.4, percent(end) - percent(start)).toFixed(2)}%`;
}
