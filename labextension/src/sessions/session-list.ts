/** A list of any length: rows of one height, of which only those in sight are elements. */

import type { SessionRow } from '../protocol/generated';
import { h, setAttribute, setClass, setText, sign } from '../view/elements';
import { detailsOf, whenOf } from './row-text';
import { LAB, RUN_STATES } from '../words/catalogue';

export const ROW_PX = 62;
/** Rows beyond the edges that are drawn, so that scrolling shows no gaps. */
const AROUND = 8;
/** Asking goes on before the end is in sight. */
const AHEAD_PX = 600;

export type ListEvents = {
  /** The end comes into sight. */
  onEnd(): void;
  onChoice(row: SessionRow | undefined): void;
  onOpen(row: SessionRow): void;
};

export class SessionList {
  readonly el = h('div', 'bc-list');
  private readonly space = h('div', 'bc-list-space');
  private rows: readonly SessionRow[] = [];
  private readonly drawn = new Map<number, Row>();
  private chosen = -1;

  constructor(private readonly events: ListEvents) {
    this.el.tabIndex = 0;
    this.el.setAttribute('role', 'listbox');
    this.el.setAttribute('aria-label', LAB.sessions);
    this.el.append(this.space);
    this.el.addEventListener('scroll', () => this.draw());
    this.el.addEventListener('focus', () => this.chosen < 0 && this.choose(0));
    this.el.addEventListener('keydown', event => this.onKey(event));
  }

  get chosenRow(): SessionRow | undefined {
    return this.rows[this.chosen];
  }

  /** Show these rows; the choice stays with its session. */
  show(rows: readonly SessionRow[]): void {
    const known = this.chosenRow?.sessionId;
    this.rows = rows;
    this.chosen = known === undefined ? -1 : rows.findIndex(row => row.sessionId === known);
    this.space.style.height = `${rows.length * ROW_PX}px`;
    this.draw();
    this.events.onChoice(this.chosenRow);
  }

  /** Draw what is in sight; called again when the panel has got its size. */
  draw(): void {
    const first = Math.max(0, Math.floor(this.el.scrollTop / ROW_PX) - AROUND);
    const seen = Math.ceil(this.el.clientHeight / ROW_PX) + 2 * AROUND;
    const last = Math.min(this.rows.length, first + seen);
    for (const [index, row] of this.drawn) {
      if (index < first || index >= last) {
        row.el.remove();
        this.drawn.delete(index);
      }
    }
    for (let index = first; index < last; index++) {
      this.drawRow(index);
    }
    const active = this.drawn.get(this.chosen);
    setAttribute(this.el, 'aria-activedescendant', active ? active.el.id : null);
    if (this.space.offsetHeight - this.el.scrollTop - this.el.clientHeight < AHEAD_PX) {
      this.events.onEnd();
    }
  }

  choose(index: number): void {
    if (!this.rows.length) {
      return;
    }
    this.chosen = Math.min(Math.max(index, 0), this.rows.length - 1);
    const top = this.chosen * ROW_PX;
    if (top < this.el.scrollTop) {
      this.el.scrollTop = top;
    } else if (top + ROW_PX > this.el.scrollTop + this.el.clientHeight) {
      this.el.scrollTop = top + ROW_PX - this.el.clientHeight;
    }
    this.draw();
    this.events.onChoice(this.chosenRow);
  }

  private drawRow(index: number): void {
    const value = this.rows[index];
    if (!value) {
      return;
    }
    let row = this.drawn.get(index);
    if (!row) {
      row = new Row();
      row.el.addEventListener('click', () => this.choose(index));
      row.el.addEventListener('dblclick', () => this.chosenRow && this.events.onOpen(this.chosenRow));
      this.drawn.set(index, row);
      this.space.append(row.el);
    }
    row.update(value, index, { isChosen: index === this.chosen, size: this.rows.length });
  }

  private onKey(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.el.clientHeight / ROW_PX) - 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: this.chosen + 1,
      ArrowUp: this.chosen - 1,
      PageDown: this.chosen + page,
      PageUp: this.chosen - page,
      Home: 0,
      End: this.rows.length - 1
    };
    const next = steps[event.key];
    if (next !== undefined) {
      this.choose(next);
    } else if (event.key === 'Enter' && this.chosenRow) {
      this.events.onOpen(this.chosenRow);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

let made = 0;

class Row {
  private readonly mark = sign('bc-list-mark', '');
  private readonly prompt = h('span', 'bc-list-prompt');
  private readonly state = h('span', 'bc-list-state');
  private readonly rest = h('span', 'bc-list-rest');
  readonly el = h(
    'div',
    'bc-list-row',
    h('div', 'bc-list-line', this.mark, this.prompt),
    h('div', 'bc-list-line bc-list-facts', this.state, this.rest)
  );

  constructor() {
    made += 1;
    this.el.id = `bc-session-${made}`;
    this.el.setAttribute('role', 'option');
    this.prompt.dir = 'auto';
  }

  update(row: SessionRow, index: number, now: { isChosen: boolean; size: number }): void {
    const { tone, sign: glyph, word } = RUN_STATES[row.state];
    setText(this.mark, glyph);
    setClass(this.mark, `bc-list-mark bc-is-${tone}`);
    setText(this.prompt, row.prompt || LAB.noPrompt);
    setText(this.state, word);
    setClass(this.state, `bc-list-state bc-is-${tone}`);
    setText(this.rest, [whenOf(row), ...detailsOf(row)].map(text => ` · ${text}`).join(''));
    setAttribute(this.el, 'title', [row.prompt, `@@${row.sessionId}`, row.models.join(', ')].filter(Boolean).join('\n'));
    setAttribute(this.el, 'aria-selected', String(now.isChosen));
    setAttribute(this.el, 'aria-posinset', String(index + 1));
    setAttribute(this.el, 'aria-setsize', String(now.size));
    this.el.style.transform = `translateY(${index * ROW_PX}px)`;
  }
}
