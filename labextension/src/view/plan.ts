/** The todos, with owner and dependencies. */

import type { RunView, TodoView } from '../protocol/generated';
import { KeyedList, h, setAttribute, setClass, setText, setTextOrHide, sign } from './elements';
import type { Part } from './elements';
import { isGoing } from './header';
import { foldable } from './section';
import { TODO_STATES, WORDS } from './words';

export function plan(): Part<RunView> {
  const part = foldable('plan');
  const el = h('ul', 'bc-todos');
  part.body.append(el);
  const list = new KeyedList<TodoView>(el, item => item.id, todo);
  return {
    el: part.el,
    update(view) {
      part.show(view.todos.length > 0);
      part.setTitle(WORDS.plan, planLine(view));
      part.setOpen(isGoing(view));
      list.update(view.todos);
    }
  };
}

function planLine(view: RunView): string {
  const done = view.todos.filter(item => item.state === 'completed').length;
  const troubled = view.todos
    .filter(item => item.state === 'failed' || item.state === 'blocked')
    .map(item => `${item.title} ${TODO_STATES[item.state].word}`);
  return [WORDS.done(done, view.todos.length), ...troubled].join(' · ');
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
      setTextOrHide(needs, item.needsNumbers.length ? WORDS.needs(item.needsNumbers.join(', ')) : '');
      setText(owner, item.role);
    }
  };
}
