/** One row of the timeline: a name, a bar on the common axis, and figures. */

import type { AgentView } from '../protocol/generated';
import { h, setAttribute, setClass, setHidden, setText } from './elements';
import type { Part } from './elements';
import { count, duration } from './figures';
import { AGENT_STATES, WORDS, agentName, spoken } from '../words/catalogue';

/** An agent on the axis that goes from one time to another; what is open lasts until now. */
export type Row = {
  readonly agent: AgentView;
  readonly color: string;
  readonly from: number;
  readonly to: number;
  readonly now: number;
};

export function timeRow(): Part<Row> {
  const name = h('span', 'bc-name');
  const bar = timeBar();
  const figures = h('span', 'bc-num');
  const el = h('div', 'bc-row', name, bar.el, figures);
  el.setAttribute('role', 'listitem');
  return {
    el,
    update(row) {
      const { agent } = row;
      const said = figuresOf(row);
      setText(name, agentName(agent));
      setAttribute(name, 'title', spoken(agent.goal) || null);
      setText(figures, said);
      setAttribute(figures, 'title', said || null);
      setAttribute(el, 'aria-label', rowName(row));
      bar.update(row);
    }
  };
}

/** `analyst: running, 19 s`. */
export function rowName({ agent, now }: Row): string {
  const bar = WORDS.barOf({ name: agentName(agent), state: AGENT_STATES[agent.state].word });
  return [bar, timeOf(agent, now)].filter(Boolean).join(WORDS.clause);
}

export function timeBar(): Part<Row> {
  const queued = h('i', 'bc-queued');
  const busy = h('i');
  const el = h('div', 'bc-bar', queued, busy);
  return {
    el,
    update(row) {
      const { agent, color, now } = row;
      place(queued, agent.queuedMs, agent.startedMs ?? agent.endedMs ?? now, row);
      place(busy, agent.startedMs, agent.endedMs ?? now, row);
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

/** Among many, which have no colour of their own, those that run stand out. */
function barClass(agent: AgentView, color: string): string {
  const ink = color || (agent.state === 'running' ? 'bc-c0' : '');
  return [ink, agent.isCritical ? 'bc-critical' : '', BAR_CLASSES[agent.state]].filter(Boolean).join(' ');
}

function timeOf(agent: AgentView, now: number): string {
  return agent.startedMs === undefined ? '' : duration((agent.endedMs ?? now) - agent.startedMs);
}

/** The state stands there when it is not plain from the bar. */
export function figuresOf({ agent, now }: Row): string {
  const time = timeOf(agent, now);
  const tokens = agent.usage.totalTokens ? count(agent.usage.totalTokens) : '';
  const isPlain = time !== '' && (agent.state === 'completed' || agent.state === 'running');
  return [isPlain ? '' : AGENT_STATES[agent.state].word, time, tokens].filter(Boolean).join(' · ');
}

/** Nothing reaches beyond now, which goes on by whole seconds. */
function place(bar: HTMLElement, start: number | undefined, until: number, { from, to, now }: Row): void {
  const end = Math.min(until, now);
  setHidden(bar, start === undefined || end <= start);
  if (start === undefined) {
    return;
  }
  const percent = (at: number): number => (100 * (Math.min(Math.max(at, from), to) - from)) / (to - from);
  setPercent(bar, 'left', percent(start));
  setPercent(bar, 'width', Math.max(0.4, percent(end) - percent(start)));
}

function setPercent(bar: HTMLElement, side: 'left' | 'width', percent: number): void {
  // As the browser writes it, so that the same value is known as the same.
  const value = `${Number(percent.toFixed(2))}%`;
  if (bar.style[side] !== value) {
    bar.style[side] = value;
  }
}
