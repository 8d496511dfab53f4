/** The anywidget: joins a model of the kernel to the drawing. Python decides, this draws. */

import type { ApprovalView, RunView } from '../protocol/generated';
import { insertion, onConnection } from '../protocol/page-events';
import { isRecord } from '../protocol/read';
import type { Decision } from '../view/actions';
import { drawGuarded, showText } from '../view/guarded';
import { recorded } from '../view/run';
import type { Drawing } from '../view/run';
import { LOCALE, WORDS, speak } from '../words/catalogue';
import { learnEveryLanguage } from '../words/every-language';
import { RunFeed } from './run-feed';
import type { News } from './run-feed';

/** The part of anywidget's model that is used. */
type Model = {
  get(name: string): unknown;
  on(event: string, listener: (value: unknown) => void): void;
  send(content: unknown): void;
};
type Listener = { onMessage(message: unknown, news: News): void; onView(): void; onComm(): void };

/** Without an answer in this time the kernel does not take clicks while the cell runs. */
const PONG_MS = 1_000;
/** Without one in this time, after its line to the card was closed, the kernel is gone. */
const GONE_MS = 5_000;

/** Why the kernel may be silent: its cell blocks it, the network is cut, or it has ended. */
type Silence = 'busy' | 'cut' | 'gone';
/** Between two requests for lost messages. */
const RESYNC_MS = 1_000;

export default () => {
  const feed = new RunFeed();
  const listeners = new Set<Listener>();
  return {
    /** Listens from the start, because messages that come before a view is drawn are lost else. */
    initialize({ model }: { model: Model }): void {
      learnEveryLanguage();
      speak();
      feed.replace(model.get('view'));
      let askedAt = -RESYNC_MS;
      model.on('msg:custom', message => {
        const news = feed.accept(message);
        if (news.isGap && Date.now() - askedAt >= RESYNC_MS) {
          askedAt = Date.now();
          model.send({ kind: 'ready', have: feed.have(), language: LOCALE });
        }
        listeners.forEach(listener => listener.onMessage(message, news));
      });
      model.on('change:view', () => {
        feed.replace(model.get('view'));
        listeners.forEach(listener => listener.onView());
      });
      model.on('comm_live_update', () => listeners.forEach(listener => listener.onComm()));
    },
    render({ model, el }: { model: Model; el: HTMLElement }): () => void {
      const listener = new CardOfModel(model, el, feed);
      listeners.add(listener);
      listener.start();
      return () => {
        listeners.delete(listener);
        listener.dispose();
      };
    }
  };
};

/** What JupyterLab draws the outputs of a cell in. */
const OUTPUTS = '.jp-OutputArea';
/** The saved card takes the place of the live one within this time. */
const REDRAW_MS = 2_000;

/** At the end of a run its card is drawn anew; whoever was in the old one goes on in the new one. */
function handFocusTo(place: Element): void {
  const focus = (): boolean => {
    const isElsewhere = document.activeElement !== null && document.activeElement !== document.body;
    const title = place.querySelector<HTMLElement>('.bc-request');
    if (!isElsewhere) {
      title?.focus({ preventScroll: true });
    }
    return isElsewhere || title !== null;
  };
  if (focus()) {
    return;
  }
  const observer = new MutationObserver(() => {
    if (focus()) {
      observer.disconnect();
    }
  });
  observer.observe(place, { childList: true, subtree: true });
  setTimeout(() => observer.disconnect(), REDRAW_MS);
}

/** One drawn view of one model. */
class CardOfModel implements Listener {
  private drawing: Drawing | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isAnswered = false;
  private isStopAsked = false;
  /** Messages may have been missed while the kernel did not answer. */
  private isMissed = false;
  private silence: Silence = 'busy';
  private readonly hearNoMore = onConnection(() => this.ask('cut'));
  /** The outputs that hold the card, while the focus is in it. */
  private focused: Element | null = null;

  constructor(
    private readonly model: Model,
    private readonly el: HTMLElement,
    private readonly feed: RunFeed
  ) {
    el.addEventListener('focusin', () => {
      this.focused = el.closest(OUTPUTS);
    });
    el.addEventListener('focusout', () => {
      // A card that is being taken off the page does not lose the focus by the reader's will; only
      // after this event it can be told.
      queueMicrotask(() => {
        if (el.isConnected && !el.contains(document.activeElement)) {
          this.focused = null;
        }
      });
    });
  }

  /** Draw, and ask for what came before; listens already, so no answer is missed. */
  start(): void {
    this.onView();
    if (this.isGoing()) {
      this.askForAll();
      this.ask('busy');
    }
  }

  onView(): void {
    const view = this.shownView();
    if (!view) {
      showText(this.el, WORDS.notARun);
      return;
    }
    if (this.drawing) {
      this.drawing.update(view);
      return;
    }
    this.el.replaceChildren();
    const drawing = drawGuarded(this.el, view, {
      isLive: true,
      ...insertion(() => this.feed.view?.sessionId ?? ''),
      stop: () => this.stop(),
      retry: contextId => void this.send({ kind: 'retry', contextId }),
      canAnswer: approvalId => !this.isMissed && this.feed.nonces.has(approvalId),
      answer: (approval, decision) => this.answer(approval, decision),
      revoke: approvalId => void this.send({ kind: 'revoke', approvalId })
    });
    this.feed.pieces().forEach(piece => drawing.stream(piece));
    this.drawing = drawing;
  }

  onMessage(message: unknown, news: News): void {
    if (isRecord(message) && message.kind === 'pong') {
      this.pong(message.now);
    }
    // The kernel asks whether anybody still sees its question.
    if (isRecord(message) && message.kind === 'call') {
      this.send({ kind: 'here' });
    }
    if (news.isView) {
      this.onView();
    }
    news.pieces.forEach(piece => this.drawing?.stream(piece));
  }

  /** The line of this card to the kernel was closed. */
  onComm(): void {
    this.ask('gone');
  }

  dispose(): void {
    this.hearNoMore();
    clearTimeout(this.timer);
    this.drawing?.dispose();
    if (this.focused) {
      handFocusTo(this.focused);
    }
  }

  private isGoing(): boolean {
    const state = this.feed.view?.state;
    return state === 'running' || state === 'queued';
  }

  /** The view, with a click on Stop shown at once; without its kernel nothing goes on. */
  private shownView(): RunView | null {
    const { view } = this.feed;
    if (view && this.isMissed && this.silence === 'gone') {
      return recorded(view);
    }
    return view && this.isStopAsked ? { ...view, isStopping: true } : view;
  }

  /** False if the line to the kernel was closed, which takes no message. */
  private send(content: unknown): boolean {
    try {
      this.model.send(content);
      return true;
    } catch {
      return false;
    }
  }

  private askForAll(): void {
    this.send({ kind: 'ready', have: this.feed.have(), language: LOCALE });
  }

  /** Ask for a sign of the kernel; without one, say why the card stands still. */
  private ask(silence: Silence): void {
    if (!this.isGoing()) {
      return;
    }
    // A kernel that is restarted is cut off as well.
    this.silence = this.silence === 'gone' && !this.isAnswered ? 'gone' : silence;
    this.isAnswered = false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.complain(), this.silence === 'gone' ? GONE_MS : PONG_MS);
    if (!this.send({ kind: 'ping' })) {
      this.silence = 'gone';
      this.complain();
    }
  }

  private complain(): void {
    clearTimeout(this.timer);
    if (!this.isAnswered && this.isGoing()) {
      this.isMissed = true;
      this.onView();
      this.drawing?.note(this.complaint());
    }
  }

  private complaint(): string {
    return { busy: WORDS.stopByInterrupt, cut: WORDS.notConnected, gone: WORDS.kernelGone }[this.silence];
  }

  private pong(now: unknown): void {
    this.isAnswered = true;
    this.drawing?.note('');
    if (typeof now === 'number') {
      this.drawing?.setClock(now);
    }
    if (this.isMissed) {
      this.isMissed = false;
      this.onView();
      this.askForAll();
    }
  }

  /** The nonce stays: until the kernel has taken an answer, another click may be needed. */
  private answer({ approvalId, boundSha256 }: ApprovalView, decision: Decision): boolean {
    const nonce = this.feed.nonces.get(approvalId);
    if (nonce === undefined) {
      return false;
    }
    return this.send({ kind: 'answer', approvalId, nonce, digest: boundSha256, decision });
  }

  private stop(): void {
    const isHeard = this.isAnswered;
    if (isHeard) {
      // Since its last answer another cell may have come to block the kernel.
      this.ask('busy');
    }
    this.send({ kind: 'stop' });
    if (isHeard) {
      this.isStopAsked = true;
      this.onView();
    } else {
      this.drawing?.note(this.complaint());
    }
  }
}
