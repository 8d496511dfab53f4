/** The sessions panel: search, list, and what can be done with the chosen session. */

import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import type { SessionPage, SessionRow } from '../protocol/generated';
import { button, h, setText } from '../view/elements';
import { RESUMABLE } from '../view/notices';
import { LAB } from '../words/catalogue';
import { KernelLink, NoAnswer } from './kernel-link';
import type { Refusal } from './kernel-link';
import { SessionList } from './session-list';

const MODULE = 'braincode_jupyter';
/** What loads the extension in a kernel. */
export const LOAD_LINE = `%load_ext ${MODULE}`;
/** Rows of one question. */
const PAGE_ROWS = 60;
/** Rows that are kept; who looks further searches. */
const MAX_ROWS = 20_000;
const TYPING_MS = 250;
const MAX_QUERY = 200;

export type PanelActions = {
  open(row: SessionRow): void;
  copy(row: SessionRow): void;
  /** Insert the line that does what a run did not come to, not run. */
  resume(row: SessionRow): void;
  /** Insert a cell that asks more in the session, not run. */
  goOn(row: SessionRow): void;
  /** Insert the line that loads the extension, not run. */
  insertLoad(): void;
};

export class SessionsPanel extends Widget {
  private readonly search = h('input', 'bc-panel-search');
  private readonly status = h('div', 'bc-panel-status');
  private readonly note = h('div', 'bc-panel-note');
  private readonly noteText = h('p');
  private readonly loadLine = h('pre', 'bc-panel-line', LOAD_LINE);
  private readonly loadButton: HTMLButtonElement;
  private readonly buttons: readonly HTMLButtonElement[];
  private readonly resumeButton: HTMLButtonElement;
  private readonly list: SessionList;
  private link: KernelLink | undefined;
  private rows: SessionRow[] = [];
  private next: number | undefined;
  private isAsking = false;
  /** Counts searches: an answer to an older one is dropped. */
  private turn = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly resizing: ResizeObserver;

  constructor(private readonly actions: PanelActions) {
    super();
    this.addClass('bc-panel');
    this.list = new SessionList({
      onEnd: () => void this.more(),
      onChoice: row => this.onChoice(row),
      onOpen: row => actions.open(row)
    });
    this.loadButton = button(LAB.insertLoad, 'bc-panel-button', () => actions.insertLoad());
    this.resumeButton = this.makeButton(LAB.resumeRun, LAB.resumeRunHint, row => actions.resume(row));
    this.resumeButton.hidden = true;
    this.buttons = this.makeButtons();
    this.build();
    this.resizing = new ResizeObserver(() => this.list.draw());
    this.resizing.observe(this.list.el);
  }

  /** Ask this kernel from now on; undefined where there is none. */
  connect(link: KernelLink | undefined, problem: string): void {
    this.link?.dispose();
    this.link = link;
    if (link) {
      this.refresh();
    } else {
      this.turn += 1;
      this.setRows([], undefined);
      this.say(problem);
    }
  }

  refresh(): void {
    this.turn += 1;
    this.isAsking = false;
    this.next = 0;
    void this.more();
  }

  /** Said while the kernel takes its time. */
  saySlow(): void {
    if (this.isAsking) {
      setText(this.status, LAB.kernelBusy);
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.resizing.disconnect();
    this.link?.dispose();
    super.dispose();
  }

  /** Emitted when the panel comes into sight. */
  readonly shown = new Signal<this, void>(this);

  protected onAfterShow(): void {
    this.shown.emit();
  }

  protected onActivateRequest(): void {
    this.search.focus();
  }

  private async more(): Promise<void> {
    const { link, next, turn } = this;
    if (!link || next === undefined || this.isAsking || this.rows.length >= MAX_ROWS) {
      return;
    }
    this.isAsking = true;
    try {
      const page = await link.page(this.search.value.slice(0, MAX_QUERY), next, PAGE_ROWS);
      if (turn === this.turn) {
        this.isAsking = false;
        this.take(page, next);
      }
    } catch (error) {
      if (turn === this.turn && !this.isDisposed) {
        this.isAsking = false;
        this.refuse(error instanceof NoAnswer ? error.refusal : 'no-answer');
      }
    }
  }

  private take(page: SessionPage, start: number): void {
    const known = new Set(start ? this.rows.map(row => row.sessionId) : []);
    const fresh = page.rows.filter(row => !known.has(row.sessionId));
    this.setRows(start ? [...this.rows, ...fresh] : fresh, page.nextStart);
    const isSearch = this.search.value.trim() !== '';
    const isDone = page.nextStart === undefined;
    if (isSearch) {
      const found = { count: this.rows.length };
      const looked = { ...found, looked: page.lookedAt, total: page.total };
      setText(this.status, isDone ? LAB.found(found) : LAB.foundSoFar(looked));
    } else {
      setText(this.status, LAB.listed({ count: page.total }));
    }
    this.say(isDone && !this.rows.length ? (isSearch ? LAB.noneFound : LAB.noSessions) : '');
  }

  private setRows(rows: SessionRow[], next: number | undefined): void {
    this.rows = rows;
    this.next = next;
    this.list.show(rows);
  }

  private refuse(refusal: Refusal): void {
    this.setRows([], undefined);
    const words = { 'not-loaded': LAB.notLoaded, 'no-answer': LAB.noAnswer, gone: LAB.noKernel };
    this.say(words[refusal], refusal === 'not-loaded');
  }

  private say(text: string, isLoadNeeded = false): void {
    setText(this.noteText, text);
    this.note.hidden = !text;
    this.loadLine.hidden = this.loadButton.hidden = !isLoadNeeded;
    this.list.el.hidden = text !== '';
    if (text) {
      setText(this.status, '');
    }
  }

  private onChoice(row: SessionRow | undefined): void {
    this.buttons.forEach(one => {
      one.disabled = !row;
    });
    this.resumeButton.hidden = !row || !RESUMABLE.has(row.state);
  }

  private makeButton(label: string, title: string, act: (row: SessionRow) => void): HTMLButtonElement {
    const el = button(label, 'bc-panel-button', () => {
      const row = this.list.chosenRow;
      if (row) {
        act(row);
      }
    });
    el.title = title;
    el.disabled = true;
    return el;
  }

  private makeButtons(): HTMLButtonElement[] {
    return [
      this.makeButton(LAB.openCard, LAB.openCardHint, row => this.actions.open(row)),
      this.makeButton(LAB.copyId, LAB.copyIdHint, row => this.actions.copy(row)),
      this.resumeButton,
      this.makeButton(LAB.resume, LAB.resumeHint, row => this.actions.goOn(row))
    ];
  }

  private build(): void {
    this.search.type = 'search';
    this.search.maxLength = MAX_QUERY;
    this.search.placeholder = LAB.search;
    this.search.title = LAB.searchHint;
    this.search.setAttribute('aria-label', LAB.search);
    this.search.addEventListener('input', () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.refresh(), TYPING_MS);
    });
    this.search.addEventListener('keydown', event => {
      if (event.key === 'ArrowDown') {
        event.preventDefault();
        this.list.el.focus();
        this.list.choose(0);
      }
    });
    const again = button('⟳', 'bc-panel-button bc-panel-refresh', () => this.refresh());
    again.title = LAB.refresh;
    again.setAttribute('aria-label', LAB.refresh);
    this.status.setAttribute('role', 'status');
    this.note.setAttribute('role', 'status');
    this.note.append(this.noteText, this.loadLine, this.loadButton);
    const head = h('h2', 'bc-panel-title', LAB.sessions);
    const acts = h('div', 'bc-panel-acts', ...this.buttons);
    this.node.append(head, h('div', 'bc-panel-top', this.search, again), this.status, this.note, this.list.el, acts);
    this.say(LAB.noNotebook);
  }
}
