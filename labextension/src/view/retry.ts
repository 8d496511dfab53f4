/** Running a worker again: a button while the run takes it up, afterwards the line that does it. */

import type { AgentView, RunView } from '../protocol/generated';
import { WORDS } from '../words/catalogue';
import type { Actions } from './actions';
import { commandLine } from './command-line';
import { button, h, setHidden, setOff, setTextOrHide } from './elements';
import type { Part } from './elements';
import { isGoing } from './header';

/** After this time a click that changed nothing may be made again. */
const AGAIN_MS = 5_000;

/** States of a worker whose result is missing or not as asked. */
const LOST: ReadonlySet<AgentView['state']> = new Set(['failed', 'blocked', 'cut_off', 'unstructured']);

/** A worker, and the run that it belongs to. */
export type WorkerOfRun = { readonly agent: AgentView; readonly view: RunView };

export function retry(actions: Actions): Part<WorkerOfRun> {
  const note = h('span', 'bc-dim');
  const command = h('code', 'bc-command');
  let latest: WorkerOfRun | undefined;
  let sent = { atMs: -AGAIN_MS, tries: -1 };
  const redraw = (): void => {
    if (latest) {
      update(latest);
    }
  };
  const press = button(WORDS.retry, 'bc-button bc-retry', () => {
    if (latest) {
      actions.retry?.(latest.agent.contextId);
      sent = { atMs: Date.now(), tries: latest.agent.retries };
      redraw();
      setTimeout(redraw, AGAIN_MS);
    }
  });
  press.title = WORDS.retryHint;
  const el = h('p', 'bc-again', press, note, command);

  function update(worker: WorkerOfRun): void {
    latest = worker;
    const { agent, view } = worker;
    const isOn = isGoing(view);
    const isOffered = isOn && agent.canRetry && actions.retry !== undefined;
    const isAsked = isOffered && sent.tries === agent.retries && Date.now() - sent.atMs < AGAIN_MS;
    setHidden(press, !isOffered);
    setOff(press, isAsked);
    press.setAttribute('aria-label', WORDS.retryOf({ role: agent.role }));
    const line = !isOn && agent.canRetry ? commandOf(worker) : '';
    setTextOrHide(note, noteOf(worker, isAsked, line !== ''));
    setTextOrHide(command, line);
    setHidden(el, press.hidden && note.hidden && command.hidden);
  }
  return { el, update };
}

function noteOf({ agent, view }: WorkerOfRun, isAsked: boolean, hasLine: boolean): string {
  if (isAsked) {
    return WORDS.retryAsked;
  }
  if (hasLine) {
    return WORDS.retryWith;
  }
  const isWriting = view.phase === 'answering' || view.phase === 'reviewing';
  return isWriting && agent.isPlanned && agent.kind === 'worker' && LOST.has(agent.state) ? WORDS.retryLater : '';
}

/** The line that runs a worker again, with a number where a role has several workers. */
function commandOf({ agent, view }: WorkerOfRun): string {
  const same = view.agents.filter(one => one.kind === 'worker' && one.role === agent.role);
  const place = same.findIndex(one => one.contextId === agent.contextId);
  const name = place > 0 ? `${agent.role}-${place + 1}` : agent.role;
  return commandLine('retry', view.sessionId, name);
}
