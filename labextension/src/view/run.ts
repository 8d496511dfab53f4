/** Draws a run, and changes the drawing in place as newer views and pieces of text come. */

import type { AgentView, RunView } from '../protocol/generated';
import type { Actions } from './actions';
import { announcer } from './announcer';
import { Answer } from './answer';
import { approvals } from './approval';
import { changes } from './changes';
import { clarification } from './clarification';
import { h, setAttribute } from './elements';
import { footer, wholeRequest } from './footer';
import { grants } from './grants';
import { header, isGoing } from './header';
import { keepKeys } from './keys';
import { matrix } from './matrix';
import { KernelMoment, latestOf } from './moment';
import { failure, modelNote, warnings } from './notices';
import { plan } from './plan';
import { plots } from './plots';
import { references } from './references';
import { review } from './review';
import { StreamedText } from './streamed-text';
import type { Piece } from './streamed-text';
import { timeline } from './timeline';
import { WORDS } from '../words/catalogue';
import { workers } from './workers';

export type Drawing = {
  update(view: RunView): void;
  /** Take streamed text of one agent; offset 0 after text was seen starts it again. */
  stream(piece: Piece): void;
  /** Learn what time it is where the run lives. */
  setClock(kernelMs: number): void;
  /** Say something about the card itself; empty takes it away. */
  note(text: string): void;
  dispose(): void;
};

const TICK_MS = 1_000;

export function draw(el: HTMLElement, first: RunView, actions: Actions): Drawing {
  const streams = new Map<string, StreamedText>();
  const moment = new KernelMoment(actions.isLive);
  const [head, times, reply] = [header(actions), timeline(), new Answer(actions)];
  const [people, trouble, spoken] = [workers(actions, streams), failure(), announcer()];
  const needs = approvals(actions);
  const parts = [references(), grants(actions), clarification(), plots(), changes(), review(), modelNote(), warnings(), plan(), matrix(), wholeRequest(), footer()] as const;
  const [refs, granted, ask, images, changed, verdict, model, warned, todos, table, ...ends] = parts;
  const card = h('article', 'bc-run');
  card.setAttribute('aria-label', WORDS.card);
  card.append(head.el, refs.el, trouble.el, needs.el, granted.el, ask.el, reply.el, images.el, changed.el, verdict.el);
  card.append(...[model, warned, todos, times, people, table, ...ends, spoken].map(part => part.el));
  el.append(card);
  const giveKeysBack = keepKeys(card);

  let view = first;
  let timer: ReturnType<typeof setInterval> | undefined;
  const tick = (): void => [head, times, needs].forEach(part => part.tick(view, moment));
  const update = (next: RunView): void => {
    view = actions.isLive ? next : recorded(next);
    moment.learn(view);
    setAttribute(card, 'data-state', view.state);
    head.update(view, moment);
    times.update(view, moment);
    needs.update(view, moment);
    reply.update(view, streams.get(primaryOf(view)));
    people.update(view);
    trouble.update(view);
    parts.forEach(part => part.update(view));
    spoken.update(view);
    timer = setTicking(timer, isGoing(view), tick);
  };
  update(first);
  if (view !== first) {
    trouble.note(WORDS.notLive);
  }
  return {
    update,
    note: text => trouble.note(text),
    setClock: kernelMs => moment.set(kernelMs),
    stream(piece) {
      const { contextId } = piece;
      const streamed = streams.get(contextId) ?? new StreamedText();
      streams.set(contextId, streamed);
      const change = streamed.accept(piece);
      if (contextId === primaryOf(view)) {
        reply.stream(change, streamed);
      } else {
        people.stream(contextId);
      }
    },
    dispose() {
      timer = setTicking(timer, false, tick);
      giveKeysBack();
      card.remove();
    }
  };
}

function setTicking(
  timer: ReturnType<typeof setInterval> | undefined,
  isOn: boolean,
  tick: () => void
): ReturnType<typeof setInterval> | undefined {
  if (isOn) {
    return timer ?? setInterval(tick, TICK_MS);
  }
  clearInterval(timer);
  return undefined;
}

function primaryOf(view: RunView): string {
  return view.agents.find(agent => agent.kind === 'primary')?.contextId ?? '';
}

const GOING: ReadonlySet<AgentView['state']> = new Set(['queued', 'waiting', 'running', 'waiting_for_approval']);

/** A run that was saved while it was going on, or lost its kernel, is over for whoever reads it now. */
export function recorded(view: RunView): RunView {
  if (!isGoing(view)) {
    return view;
  }
  const agents = view.agents.map(agent =>
    GOING.has(agent.state) ? ({ ...agent, state: 'interrupted' } as const) : agent
  );
  const answerState = view.answer.state === 'streaming' ? 'partial' : view.answer.state;
  return {
    ...view,
    state: 'interrupted',
    isStopping: false,
    endedMs: latestOf(view),
    agents,
    approvals: [],
    grants: [],
    answer: { ...view.answer, state: answerState }
  };
}
