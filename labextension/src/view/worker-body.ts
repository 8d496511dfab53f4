/** Inside of one entry: result, what it left open, and what it saw. */

import type { AgentView, ArtifactView, AttemptView, Block, RunView, TableView } from '../protocol/generated';
import type { Actions } from './actions';
import { drawBlocks } from './blocks';
import { KeyedList, h, lineList, setAttribute, setClass, setGroup, setHidden, setText, setTextOrHide } from './elements';
import type { Part } from './elements';
import { count } from './figures';
import type { WorkerOfRun } from './retry';
import { saw } from './saw';
import type { StreamedText } from './streamed-text';
import { tables } from './tables';
import { toolCalls } from './tool-calls';
import { AGENT_STATES, CODES, WORDS, named, spoken } from '../words/catalogue';

/** Newest characters shown of a reply that is being written. */
const LIVE_CHARS = 2_000;
/** A goal of at most this many characters stands whole in the line of its entry. */
const BRIEF_CHARS = 60;

export type WorkerBody = Part<WorkerOfRun> & {
  /** Text of this agent has come. */
  streamed(): void;
};

export function workerBody(actions: Actions, streams: ReadonlyMap<string, StreamedText>): WorkerBody {
  const goal = h('p', 'bc-dim');
  goal.dir = 'auto';
  const reason = h('p');
  const hint = h('p');
  const summary = h('div', 'bc-text');
  const risks = lineList('bc-is-warn', WORDS.risk);
  const open = lineList('', WORDS.open);
  const made = artifacts();
  const computed = tables(actions);
  const calls = toolCalls();
  const partial = quoted(WORDS.partial);
  const live = quoted(WORDS.live);
  const attempts = attemptList();
  const sees = saw();
  const facts = h('p', 'bc-dim');
  const findings = h('div', 'bc-found', facts, goal, reason, hint, summary, risks.el, open.el, made.el, computed.el, calls.el);
  findings.append(partial.el, live.el, attempts.el);
  const el = h('div', 'bc-inside', findings, sees.el);
  let latest: AgentView | undefined;
  let drawn: readonly Block[] | string | undefined;

  const streamed = (): void => {
    const isOn = latest?.state === 'running' && latest.kind !== 'primary';
    const text = latest && isOn ? (streams.get(latest.contextId)?.text ?? '') : '';
    live.update(text.slice(-LIVE_CHARS));
  };
  return {
    el,
    streamed,
    update({ agent, view }) {
      latest = agent;
      setTextOrHide(facts, factsOf(agent));
      const task = spoken(agent.goal);
      setTextOrHide(goal, task);
      goal.classList.toggle('bc-brief', task.length <= BRIEF_CHARS);
      setClass(reason, `bc-is-${AGENT_STATES[agent.state].tone === 'bad' ? 'bad' : 'warn'}`);
      setTextOrHide(reason, spoken(agent.reason));
      setTextOrHide(hint, spoken(agent.hint));
      const content = agent.summaryBlocks.length ? agent.summaryBlocks : agent.summary;
      if (content !== drawn) {
        drawn = content;
        summary.replaceChildren(typeof content === 'string' ? plain(content) : drawBlocks(content, actions));
        setHidden(summary, content.length === 0);
      }
      risks.update(agent.risks);
      open.update(agent.nextQuestions);
      const own = tablesOf(agent, view);
      const drawnUris = new Set(own.map(table => table.uri));
      made.update(agent.artifacts.filter(item => !drawnUris.has(item.uri)));
      computed.update(own);
      calls.update(agent.toolCalls);
      // What the primary had written stands above, as the answer.
      partial.update(agent.kind === 'primary' ? '' : agent.partial);
      attempts.update(agent);
      sees.update(agent);
      streamed();
    }
  };
}

function tablesOf(agent: AgentView, view: RunView): readonly TableView[] {
  const uris = new Set(agent.artifacts.map(item => item.uri));
  return view.tables.filter(table => uris.has(table.uri));
}

/** `openai/gpt-5.5 · 1.9k tokens`. */
function factsOf(agent: AgentView): string {
  const { totalTokens } = agent.usage;
  const isSilent = agent.state === 'running' && agent.waitingFor;
  const facts = [
    agent.modelId ?? '',
    totalTokens ? WORDS.tokens({ text: count(totalTokens) }) : '',
    isSilent ? WORDS.waitingFor({ what: spoken(agent.waitingFor) }) : ''
  ];
  return facts.filter(Boolean).join(' · ');
}

function plain(text: string): HTMLElement {
  const el = h('div', 'bc-plain', text);
  el.dir = 'auto';
  return el;
}

function quoted(title: string): Part<string> {
  const text = h('pre', 'bc-quoted');
  text.tabIndex = 0;
  setGroup(text, title);
  const el = h('div', '', h('h5', 'bc-title', title), text);
  return {
    el,
    update(value) {
      setHidden(el, !value);
      setText(text, value);
    }
  };
}

function artifacts(): Part<readonly ArtifactView[]> {
  const list = h('span');
  const el = h('p', 'bc-dim', WORDS.artifacts, list);
  const items = new KeyedList<ArtifactView>(
    list,
    item => item.uri,
    () => {
      const code = h('code');
      return {
        el: code,
        update(item) {
          setText(code, item.label || item.uri);
          setAttribute(code, 'title', item.uri);
        }
      };
    }
  );
  return {
    el,
    update(value) {
      setHidden(el, value.length === 0);
      items.update(value);
    }
  };
}

function attemptLine({ attempt, modelId, code, message }: AttemptView): string {
  const line = WORDS.attempt({ number: attempt, model: modelId, code: named(CODES, code) });
  return [line, spoken(message)].filter(Boolean).join(' · ');
}

function attemptList(): Part<AgentView> {
  const lines = lineList('bc-plainlist');
  const el = h('div', '', h('h5', 'bc-title', WORDS.attempts), lines.el);
  return {
    el,
    update(agent) {
      setHidden(el, agent.attempts.length === 0);
      lines.update(agent.attempts.map(attemptLine));
    }
  };
}
