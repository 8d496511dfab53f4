/** The line that stands on top: what was asked, how it goes, what it costs, and Stop. */

import type { RunView, UsageView } from '../protocol/generated';
import type { Actions } from './actions';
import { button, h, setAttribute, setClass, setHidden, setOff, setText, setTextOrHide, sign } from './elements';
import { clock, count, duration, money } from './figures';
import type { Moment } from './moment';
import { oneLine } from './plain-text';
import { AGENT_STATES, PHASES, RUN_STATES, WORDS } from '../words/catalogue';

/** Below this a finished run shows tenths of a second. */
const SHORT_MS = 9_500;

export type Header = {
  readonly el: HTMLElement;
  update(view: RunView, moment: Moment): void;
  tick(view: RunView, moment: Moment): void;
};

export function header(actions: Actions): Header {
  const title = h('h3', 'bc-request');
  title.dir = 'auto';
  title.tabIndex = -1;
  const dot = sign('bc-dot', '');
  const word = h('span');
  const state = h('span', 'bc-state', dot, word);
  const elapsed = h('span', 'bc-num');
  elapsed.title = WORDS.elapsed;
  const tokens = h('span', 'bc-num');
  const cost = h('span', 'bc-num');
  const replayed = h('span', 'bc-num');
  replayed.title = WORDS.replayedWhy;
  const stop = button(WORDS.stop, 'bc-button bc-stop', () => actions.stop?.());
  stop.title = WORDS.stopHint;
  const facts = h('div', 'bc-facts', state, elapsed, tokens, cost, replayed, stop);
  const el = h('div', 'bc-head', title, facts);

  const tick = (view: RunView, moment: Moment): void => {
    setTextOrHide(elapsed, elapsedText(view, moment));
  };
  return {
    el,
    tick,
    update(view, moment) {
      setText(title, oneLine(view.title || view.request) || WORDS.untitled);
      setAttribute(title, 'title', view.request || null);
      const tone = isWaiting(view) ? AGENT_STATES.waiting_for_approval.tone : RUN_STATES[view.state].tone;
      setClass(state, `bc-state bc-is-${tone}`);
      setText(word, stateText(view));
      setTextOrHide(tokens, tokensText(view));
      setAttribute(tokens, 'title', unmeasuredText(view.usage));
      setTextOrHide(cost, costText(view));
      setAttribute(cost, 'title', costText(view) === WORDS.costUnknown ? WORDS.costUnknownWhy : null);
      setTextOrHide(replayed, replayedText(view.usage));
      setStop(stop, title, { isOffered: actions.stop !== undefined && isGoing(view), isAsked: view.isStopping });
      setText(stop, view.isStopping ? WORDS.stopAsked : WORDS.stop);
      tick(view, moment);
    }
  };
}

/** Whoever presses Stop by keyboard keeps his place: on the button, and at its end on the title. */
function setStop(
  stop: HTMLButtonElement,
  next: HTMLElement,
  { isOffered, isAsked }: { readonly isOffered: boolean; readonly isAsked: boolean }
): void {
  if (!isOffered && document.activeElement === stop) {
    next.focus({ preventScroll: true });
  }
  setHidden(stop, !isOffered);
  setOff(stop, isAsked);
}

export function isGoing(view: RunView): boolean {
  return view.state === 'running' || view.state === 'queued';
}

/** Whether the run waits for the reader. */
function isWaiting(view: RunView): boolean {
  return isGoing(view) && view.approvals.length > 0;
}

function stateText(view: RunView): string {
  const isWaited = isWaiting(view) && !view.isStopping;
  return isWaited ? AGENT_STATES.waiting_for_approval.word : progressText(view);
}

/** `running: reviewing`, `stopping`, `completed`. */
export function progressText(view: RunView): string {
  if (view.isStopping && isGoing(view)) {
    return WORDS.stopping;
  }
  const phase = view.state === 'running' ? PHASES[view.phase] : '';
  return phase || RUN_STATES[view.state].word;
}

function elapsedText(view: RunView, moment: Moment): string {
  if (!view.startedMs) {
    return '';
  }
  const ms = (view.endedMs ?? moment.now()) - view.startedMs;
  return view.endedMs !== undefined && ms < SHORT_MS ? duration(ms) : clock(ms);
}

function tokensText(view: RunView): string {
  const { totalTokens, unmeasuredCalls, calls } = view.usage;
  if (unmeasuredCalls > 0 && !totalTokens && !view.maxTokens) {
    return isGoing(view) ? '' : WORDS.usageUnknown;
  }
  if (!calls && !totalTokens && !view.maxTokens) {
    return '';
  }
  const spent = unmeasuredCalls > 0 ? WORDS.atLeast({ text: count(totalTokens) }) : count(totalTokens);
  return view.maxTokens ? WORDS.tokensOf({ text: spent, limit: count(view.maxTokens) }) : WORDS.tokens({ text: spent });
}

function unmeasuredText(usage: UsageView): string | null {
  return usage.unmeasuredCalls > 0 ? WORDS.unmeasured({ count: usage.unmeasuredCalls }) : null;
}

/** `replayed`, or how many calls were; empty where all were made now. */
export function replayedText({ calls, replayedCalls }: UsageView): string {
  if (!replayedCalls) {
    return '';
  }
  const isAll = replayedCalls === calls;
  return isAll ? WORDS.replayed : WORDS.replayedSome({ some: count(replayedCalls), all: count(calls) });
}

function costText({ usage, maxCostUsd }: RunView): string {
  if (usage.costUsd !== undefined && maxCostUsd !== undefined) {
    return WORDS.costOf({ cost: money(usage.costUsd), limit: money(maxCostUsd) });
  }
  if (usage.costUsd !== undefined) {
    return usage.calls > 0 ? money(usage.costUsd) : '';
  }
  // Where not even the tokens are known, that is said, and enough.
  return usage.totalTokens > 0 ? WORDS.costUnknown : '';
}
