/** One expandable entry per worker, then the other calls. */

import type { AgentView, RunView } from '../protocol/generated';
import type { Actions } from './actions';
import { KeyedList, h, setAttribute, setClass, setHidden, setText, setTextOrHide, sign } from './elements';
import type { Part } from './elements';
import { count, money } from './figures';
import { grouped } from './groups';
import { isGoing, replayedText } from './header';
import { oneLine } from './plain-text';
import { retry } from './retry';
import type { WorkerOfRun } from './retry';
import { foldable } from './section';
import type { StreamedText } from './streamed-text';
import { agentColors } from './timeline';
import { AGENT_STATES, WORDS, agentName, spoken, stateCounts } from '../words/catalogue';
import { workerBody } from './worker-body';
import type { WorkerBody } from './worker-body';

export type Workers = {
  readonly el: HTMLElement;
  update(view: RunView): void;
  /** Show streamed text of an agent, if its entry is open. */
  stream(contextId: string): void;
};

type Entry = WorkerOfRun & { readonly color: string };

export function workers(actions: Actions, streams: ReadonlyMap<string, StreamedText>): Workers {
  const part = foldable('workers');
  const bodies = new Map<string, WorkerBody>();
  const make = (): Part<Entry> => entry(actions, streams, bodies);
  const own = grouped<Entry, AgentView['state']>({
    keyOf,
    stateOf: item => item.agent.state,
    look: state => AGENT_STATES[state],
    make,
    list: () => h('div', 'bc-entries'),
    facts: spent,
    open: ['trouble', 'running']
  });
  const othersTitle = h('h5', 'bc-title', WORDS.otherCalls);
  const others = h('div', 'bc-entries');
  part.body.append(own.el, othersTitle, others);
  const otherList = new KeyedList<Entry>(others, keyOf, make);
  return {
    el: part.el,
    update(view) {
      const colors = agentColors(view.agents);
      const entries = view.agents.map(agent => ({ agent, view, color: colors.get(agent.contextId) ?? '' }));
      const workerEntries = entries.filter(item => item.agent.kind === 'worker');
      const otherEntries = entries.filter(item => item.agent.kind !== 'worker' && hasContent(item.agent));
      part.show(workerEntries.length + otherEntries.length > 0);
      const line = workersLine(view, workerEntries.map(item => item.agent));
      part.setTitle(WORDS.workers, line, workerEntries.some(item => isTroubled(item.agent)));
      part.setOpen(isGoing(view));
      own.update(workerEntries);
      setHidden(othersTitle, otherEntries.length === 0);
      otherList.update(otherEntries);
    },
    stream: contextId => bodies.get(contextId)?.streamed()
  };
}

function keyOf({ agent }: Entry): string {
  return agent.contextId;
}

/** What they cost together: `31k tokens · $0.12`; without the money where a price is unknown. */
function spent(entries: readonly Entry[]): string {
  const used = entries.map(({ agent }) => agent.usage).filter(usage => usage.totalTokens > 0);
  const tokens = used.reduce((sum, usage) => sum + usage.totalTokens, 0);
  const costs = used.flatMap(usage => usage.costUsd ?? []);
  const facts = [tokens ? WORDS.tokens({ text: count(tokens) }) : ''];
  if (costs.length && costs.length === used.length) {
    facts.push(money(costs.reduce((sum, cost) => sum + cost, 0)));
  }
  return facts.filter(Boolean).join(' · ');
}

/** `3 completed · 1 failed`, or why there is none. */
function workersLine(view: RunView, agents: readonly AgentView[]): string {
  if (agents.length) {
    // What went wrong comes first: a narrow card cuts the end.
    const sorted = [...agents.filter(isTroubled), ...agents.filter(agent => !isTroubled(agent))];
    const counts = stateCounts(sorted.map(agent => AGENT_STATES[agent.state].word));
    return [...counts, view.tables.length ? WORDS.tables({ count: view.tables.length }) : ''].filter(Boolean).join(' · ');
  }
  if (view.agents.some(agent => agent.kind === 'primary')) {
    return WORDS.noWorker;
  }
  return isGoing(view) ? WORDS.beingPlanned : WORDS.noneRan;
}

function isTroubled(agent: AgentView): boolean {
  return AGENT_STATES[agent.state].tone === 'bad';
}

function hasContent(agent: AgentView): boolean {
  return agent.saw.length + agent.attempts.length > 0 || Boolean(agent.reason) || agent.state !== 'queued';
}

function entry(
  actions: Actions,
  streams: ReadonlyMap<string, StreamedText>,
  bodies: Map<string, WorkerBody>
): Part<Entry> {
  const name = h('b', 'bc-name');
  const goal = h('span', 'bc-goal');
  goal.dir = 'auto';
  const mark = sign('bc-mark', '');
  const word = h('span');
  const state = h('span', '', mark, word);
  const facts = h('span', 'bc-dim bc-model');
  const summary = h('summary', '', name, goal, h('span', 'bc-end', state, facts));
  const el = h('details', 'bc-worker', summary);
  const again = retry(actions);
  let latest: WorkerOfRun | undefined;
  let body: WorkerBody | undefined;
  const fill = ({ agent, view }: WorkerOfRun): void => {
    if (el.open) {
      body?.update({ agent, view });
      again.update({ agent, view });
    }
  };
  el.addEventListener('toggle', () => {
    if (el.open && latest) {
      if (!body) {
        body = openBody(el, latest.agent, workerBody(actions, streams), bodies);
        el.append(again.el);
      }
      fill(latest);
    }
  });
  return {
    el,
    update(item) {
      const { agent, color } = item;
      latest = item;
      const { tone, sign: glyph } = AGENT_STATES[agent.state];
      setClass(name, `bc-name bc-ink ${color}`);
      setText(name, agentName(agent));
      setText(goal, oneLine(spoken(agent.goal)));
      setClass(state, `bc-is-${tone}`);
      setText(mark, glyph);
      setText(word, agentWord(agent));
      setTextOrHide(facts, agentFacts(agent));
      setAttribute(facts, 'title', agent.modelId ?? null);
      fill(item);
    },
    dispose: () => {
      if (latest) {
        bodies.delete(latest.agent.contextId);
      }
    }
  };
}

/** The body is made when an entry is first opened, so that 64 workers stay cheap. */
function openBody(
  el: HTMLElement,
  agent: AgentView,
  body: WorkerBody,
  bodies: Map<string, WorkerBody>
): WorkerBody {
  el.append(body.el);
  bodies.set(agent.contextId, body);
  return body;
}

function agentWord(agent: AgentView): string {
  if (agent.state === 'waiting' && agent.waitingFor) {
    return WORDS.waitingFor({ what: spoken(agent.waitingFor) });
  }
  const { word } = AGENT_STATES[agent.state];
  const tried = agent.retries > 0 ? WORDS.retried({ number: agent.retries + 1 }) : '';
  const told = agent.isKept ? WORDS.keptResult : tried;
  return [word, told, replayedText(agent.usage)].filter(Boolean).join(', ');
}

function agentFacts(agent: AgentView): string {
  const cost = agent.usage.costUsd;
  const facts = [modelName(agent.modelId ?? ''), cost === undefined ? '' : money(cost)].filter(Boolean);
  return facts.length ? ` · ${facts.join(' · ')}` : '';
}

/** `gpt-5.5` of `openai/gpt-5.5`; the whole id is a tooltip, and stands in the opened entry. */
function modelName(modelId: string): string {
  return modelId.slice(modelId.lastIndexOf('/') + 1);
}
