/**
 * A list that falls into groups when it is long: what needs the reader first, then what goes on,
 * what waits, and what is over.
 *
 * Known trade-off: an entry that the reader opened or is in stays in its group when its state
 * changes, and moves once they have left it. The heads of groups count what stands in them.
 */

import type { AgentView, TodoView } from '../protocol/generated';
import { KeyedList, button, h, setHidden, setText, setTextOrHide, sign } from './elements';
import type { Part } from './elements';
import { WORDS } from '../words/catalogue';
import type { StateWord } from '../words/catalogue';

/** A list with more entries than this is drawn in groups. */
export const LARGE = 24;
/** Entries of a group that opened by itself; one that the reader opens shows a page. */
const FIRST = 10;
const PAGE = 100;

type State = AgentView['state'] | TodoView['state'];
type GroupName = 'trouble' | 'running' | 'waiting' | 'stopped' | 'done';

/** The groups in their order, and the states of each in the order of their counts. */
const STATES: Readonly<Record<GroupName, readonly State[]>> = {
  trouble: ['waiting_for_approval', 'failed', 'blocked', 'unstructured', 'cut_off'],
  running: ['running'],
  waiting: ['waiting', 'queued', 'pending'],
  stopped: ['cancelled', 'interrupted'],
  done: ['completed']
};
const NAMES = Object.keys(STATES) as GroupName[];
const ORDER: readonly State[] = Object.values(STATES).flat();
const GROUP_OF = new Map(NAMES.flatMap(name => STATES[name].map(state => [state, name] as const)));

/** Whether an agent or a todo needs the reader. */
export function needsReader(state: State): boolean {
  return GROUP_OF.get(state) === 'trouble';
}

/** What the entries of a list are, and how they are drawn. */
export type Kind<T, S extends State> = {
  keyOf(item: T): string;
  stateOf(item: T): S;
  look(state: S): StateWord;
  make(): Part<T>;
  /** The element that holds entries. */
  list(): HTMLElement;
  /** What stands at the end of the head of a group. */
  facts?(items: readonly T[]): string;
  /** Groups that are open until the reader chooses. */
  readonly open: readonly GroupName[];
};

export function grouped<T, S extends State>(kind: Kind<T, S>): Part<readonly T[]> {
  const whole = new KeyedList<T>(kind.list(), kind.keyOf, kind.make);
  const groups = NAMES.map(name => ({ name, group: new Group(kind, kind.open.includes(name)) }));
  const el = h('div', 'bc-grouped', whole.el, ...groups.map(({ group }) => group.el));
  return {
    el,
    update(items) {
      const isLarge = items.length > LARGE;
      const ungrouped = items.filter(item => !isLarge || isHeld(whole.elementOf(kind.keyOf(item))));
      const left = new Set(items);
      ungrouped.forEach(item => left.delete(item));
      const placed = new Map(NAMES.map(name => [name, [] as T[]]));
      for (const item of left) {
        const held = groups.find(({ group }) => group.holds(item));
        placed.get(held?.name ?? GROUP_OF.get(kind.stateOf(item)) ?? 'done')?.push(item);
      }
      whole.update(ungrouped);
      setHidden(whole.el, ungrouped.length === 0);
      groups.forEach(({ name, group }) => group.update(placed.get(name) ?? []));
    }
  };
}

/** How many are in each state, in the order of the groups. */
export function countStates<S extends State>(states: readonly S[]): readonly (readonly [state: S, count: number])[] {
  const counts = new Map<S, number>();
  states.forEach(state => counts.set(state, (counts.get(state) ?? 0) + 1));
  return [...counts].sort(([one], [other]) => ORDER.indexOf(one) - ORDER.indexOf(other));
}

type Count = readonly [look: StateWord, count: number];

/** `✕ 6 failed  ▲ 4 blocked`. */
function counted(): Part<readonly Count[]> {
  const el = h('span', 'bc-counts');
  el.setAttribute('role', 'heading');
  el.setAttribute('aria-level', '5');
  const list = new KeyedList<Count>(
    el,
    ([look]) => look.word,
    ([look]) => {
      const words = h('span');
      const one = h('span', 'bc-count', sign('bc-mark', look.sign), words, ' ');
      one.classList.add(`bc-is-${look.tone}`);
      return { el: one, update: ([{ word }, count]) => setText(words, WORDS.stateCount({ count, word })) };
    }
  );
  return { el, update: value => list.update(value) };
}

/** Whether the reader opened it or is in it. */
function isHeld(el: HTMLElement | undefined): boolean {
  return el !== undefined && ((el instanceof HTMLDetailsElement && el.open) || el.contains(document.activeElement));
}

/** One group: its head, and its entries, which are drawn once it is open. */
class Group<T, S extends State> implements Part<readonly T[]> {
  readonly el: HTMLDetailsElement;
  private readonly counts = counted();
  private readonly facts = h('span', 'bc-num');
  private readonly summary: HTMLElement;
  private readonly list: KeyedList<T>;
  private readonly rest: HTMLButtonElement;
  private items: readonly T[] = [];
  private limit = FIRST;

  constructor(
    private readonly kind: Kind<T, S>,
    isOpen: boolean
  ) {
    this.summary = h('summary', '', this.counts.el, this.facts);
    this.list = new KeyedList<T>(kind.list(), kind.keyOf, kind.make);
    this.rest = button('', 'bc-button bc-more', () => this.showMore());
    this.el = h('details', 'bc-group', this.summary, this.list.el, this.rest);
    this.el.open = isOpen;
    this.summary.addEventListener('click', () => {
      this.limit = Math.max(this.limit, this.el.open ? 0 : PAGE);
    });
    this.el.addEventListener('toggle', () => this.draw());
  }

  /** Whether it has this item, and the reader is at it. */
  holds(item: T): boolean {
    return isHeld(this.list.elementOf(this.kind.keyOf(item)));
  }

  update(items: readonly T[]): void {
    this.items = items;
    setHidden(this.el, items.length === 0);
    this.counts.update(countStates(items.map(this.kind.stateOf)).map(([state, count]) => [this.kind.look(state), count]));
    setTextOrHide(this.facts, this.kind.facts?.(items));
    this.draw();
  }

  private draw(): void {
    const { items, el, limit } = this;
    this.list.update(items.filter((item, index) => (el.open && index < limit) || this.holds(item)));
    const left = el.open ? items.length - limit : 0;
    setTextOrHide(this.rest, left > 0 ? WORDS.more({ count: left }) : '');
  }

  /** The focus goes to the first that comes, else it would be lost with the button. */
  private showMore(): void {
    const next = this.list.el.childElementCount;
    this.limit += PAGE;
    this.draw();
    (this.list.el.children[next]?.querySelector<HTMLElement>('summary') ?? this.summary).focus();
  }
}
