/** The todos, with owner and dependencies. */

import type { RunView, TodoView } from '../protocol/generated';
import { KeyedList, h, setAttribute, setClass, setText, setTextOrHide, sign } from './elements';
import type { Part } from './elements';
import { isGoing } from './header';
import { foldable } from './section';
import { setScroll } from './timeline';
import { TODO_STATES, WORDS } from './words';

/** From this many todos the list scrolls. */
const LONG_LIST = 40;

export function plan(): Part<RunView> {
  const part = foldable('plan');
  const el = h('ul', 'bc-todos');
  const scroll = h('div', '', el);
  part.body.append(scroll);
  const list = new KeyedList<TodoView>(el, item => item.id, todo);
  return {
    el: part.el,
    update(view) {
      part.show(view.todos.length > 0);
      part.setTitle(WORDS.plan, planLine(view), view.todos.some(isTroubled));
      part.setOpen(isGoing(view));
      setScroll(scroll, view.todos.length > LONG_LIST, WORDS.plan);
      list.update(view.todos);
    }
  };
}

function planLine(view: RunView): string {
  const done = view.todos.filter(item => item.state === 'completed').length;
  const troubled = view.todos
    .filter(isTroubled)
    .map(item => `${item.title} ${TODO_STATES[item.state].word}`);
  return [WORDS.done(done, view.todos.length), ...troubled].join(' · ');
}

function isTroubled(item: TodoView): boolean {
  return item.state === 'failed' || item.state === 'blocked';
}

function todo(): Part<TodoView> {
  const mark = sign('', '');
  const title = h('span');
  title.dir = 'auto';
  const needs = h('span', 'bc-dim');
  const word = h('span', 'bc-word');
  const owner = h('span', 'bc-dim');
  const el = h('li', '', mark, h('span', '', title, ' ', word, ' ', needs), owner);
  return {
    el,
    update(item) {
      const { tone, sign: glyph, word: name } = TODO_STATES[item.state];
      setClass(mark, `bc-mark bc-is-${tone}`);
      setText(mark, glyph);
      setText(title, item.title);
      setAttribute(el, 'title', item.summary || null);
      setClass(word, item.state === 'completed' || item.state === 'pending' ? 'bc-hidden' : `bc-is-${tone}`);
      setText(word, name);
      setTextOrHide(needs, item.needsNumbers.length ? WORDS.needs(ranges(item.needsNumbers)) : '');
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
