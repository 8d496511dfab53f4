/** The todos, with owner and dependencies. */

import type { RunView, TodoView } from '../protocol/generated';
import { h, setAttribute, setClass, setHidden, setText, setTextOrHide, sign } from './elements';
import type { Part } from './elements';
import { LARGE, grouped } from './groups';
import { isGoing } from './header';
import { foldable } from './section';
import { TODO_STATES, WORDS, spoken, stateCounts } from '../words/catalogue';

type Numbered = { readonly todo: TodoView; readonly number: string };

export function plan(): Part<RunView> {
  const part = foldable('plan');
  const progress = shares();
  const list = grouped<Numbered, TodoView['state']>({
    keyOf: item => item.todo.id,
    stateOf: item => item.todo.state,
    look: state => TODO_STATES[state],
    make: todo,
    list: () => h('ul', 'bc-todos'),
    // What is being done is told by the workers.
    open: ['trouble']
  });
  part.body.append(progress.el, list.el);
  return {
    el: part.el,
    update(view) {
      part.show(view.todos.length > 0);
      part.setTitle(WORDS.plan, planLine(view), view.todos.some(isTroubled));
      part.setOpen(isGoing(view));
      progress.update(view.todos);
      const isNumbered = view.todos.some(item => item.needsNumbers.length > 0);
      list.update(numbered(view.todos, isNumbered));
    }
  };
}

function planLine(view: RunView): string {
  const done = view.todos.filter(item => item.state === 'completed').length;
  return [WORDS.done({ done, all: view.todos.length }), ...troubles(view.todos.filter(isTroubled))].join(' · ');
}

/** `failed: Is the drop more than noise?`, or `1 failed`, `2 blocked` where there are several. */
function troubles(todos: readonly TodoView[]): string[] {
  const [first] = todos;
  if (first && todos.length === 1) {
    return [WORDS.troubled({ word: TODO_STATES[first.state].word, title: spoken(first.title) })];
  }
  return stateCounts(todos.map(item => TODO_STATES[item.state].word));
}

function isTroubled(item: TodoView): boolean {
  return item.state === 'failed' || item.state === 'blocked';
}

/** From what is done to what is not begun. */
const COURSE: readonly TodoView['state'][] = ['completed', 'running', 'failed', 'blocked', 'pending'];

/** A bar with a share per state, for a long plan; the heads of the groups say it in words. */
function shares(): Part<readonly TodoView[]> {
  const el = sign('bc-shares', '');
  const segments = COURSE.map(state => ({ state, segment: h('i', `bc-is-${TODO_STATES[state].tone}`) }));
  el.append(...segments.map(({ segment }) => segment));
  return {
    el,
    update(todos) {
      setHidden(el, todos.length <= LARGE);
      for (const { state, segment } of segments) {
        const count = todos.filter(item => item.state === state).length;
        setHidden(segment, count === 0);
        segment.style.flexGrow = String(count);
      }
    }
  };
}

/** Where a todo names others by number, every one shows its own. */
function numbered(todos: readonly TodoView[], isNumbered: boolean): readonly Numbered[] {
  return todos.map((item, index) => ({ todo: item, number: isNumbered ? `${index + 1}.` : '' }));
}

function todo(): Part<Numbered> {
  const mark = sign('', '');
  const number = h('span', 'bc-num');
  const title = h('span');
  title.dir = 'auto';
  const needs = h('span', 'bc-num');
  const word = h('span', 'bc-word');
  const owner = h('span', 'bc-dim');
  const el = h('li', '', mark, h('span', '', number, ' ', title, ' ', word, ' ', needs), owner);
  return {
    el,
    update({ todo: item, number: place }) {
      const { tone, sign: glyph, word: name } = TODO_STATES[item.state];
      setClass(mark, `bc-mark bc-is-${tone}`);
      setText(mark, glyph);
      setTextOrHide(number, place);
      setText(title, spoken(item.title));
      setAttribute(el, 'title', spoken(item.summary) || null);
      // The sign tells the rest, and a word that comes and goes would wrap the line.
      setClass(word, isTroubled(item) ? `bc-word bc-is-${tone}` : 'bc-hidden');
      setText(word, name);
      setTextOrHide(needs, item.needsNumbers.length ? WORDS.needs({ numbers: ranges(item.needsNumbers) }) : '');
      setText(owner, item.role);
    }
  };
}

/** `1–4, 6` for 1, 2, 3, 4, 6. */
function ranges(numbers: readonly number[]): string {
  const parts: string[] = [];
  let from = 0;
  numbers.forEach((number, index) => {
    if (numbers[index + 1] === number + 1) {
      return;
    }
    const first = numbers[from];
    from = index + 1;
    parts.push(first === number ? `${number}` : `${first}${first === number - 1 ? ', ' : '–'}${number}`);
  });
  return parts.join(', ');
}
