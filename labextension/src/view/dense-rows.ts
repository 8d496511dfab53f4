/**
 * Rows of many agents, each as high as its bar: together they show how a run went. The name of one
 * stands beside it while the pointer or the focus is there; arrows go from one to the next.
 */

import { KeyedList, h, setAttribute, setHidden, setText, sign } from './elements';
import type { Part } from './elements';
import { figuresOf, rowName, timeBar } from './time-row';
import type { Row } from './time-row';
import { WORDS, agentName } from '../words/catalogue';

const STEPS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(at + 1, last),
  ArrowUp: at => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_, last) => last
};

export function denseRows(): Part<readonly Row[]> {
  const list = h('div', 'bc-dense');
  list.setAttribute('role', 'list');
  // A screen reader is told by the row itself.
  const note = sign('bc-at', '');
  const title = h('span', 'bc-dim');
  const el = h('div', 'bc-rest', title, list, note);
  let shown = new Map<Element, Row>();
  let at: Element | undefined;
  const rows = new KeyedList<Row>(list, row => row.agent.contextId, denseRow);

  const tell = (): void => {
    const row = at && shown.get(at);
    setHidden(note, !row);
    if (row && at instanceof HTMLElement) {
      setText(note, [agentName(row.agent), figuresOf(row)].filter(Boolean).join(' · '));
      note.style.top = `${at.offsetTop}px`;
    }
  };
  const goTo = (row: Element | null | undefined): void => {
    at = row && shown.has(row) ? row : undefined;
    tell();
  };
  const rowAt = (target: EventTarget | null): Element | null =>
    target instanceof Element ? target.closest('[role=listitem]') : null;
  list.addEventListener('pointerover', event => goTo(rowAt(event.target)));
  list.addEventListener('pointerleave', () => goTo(list.querySelector(':focus')));
  list.addEventListener('focusin', event => {
    setReached(list, rowAt(event.target));
    goTo(rowAt(event.target));
  });
  list.addEventListener('focusout', () => goTo(null));
  list.addEventListener('keydown', event => {
    const current = rowAt(event.target);
    const step = STEPS[event.key];
    const all = [...list.children];
    if (current && step) {
      event.preventDefault();
      (all[step(all.indexOf(current), all.length - 1)] as HTMLElement).focus();
    }
  });
  return {
    el,
    update(value) {
      setHidden(el, value.length === 0);
      setText(title, WORDS.more({ count: value.length }));
      setAttribute(list, 'aria-label', WORDS.more({ count: value.length }));
      rows.update(value);
      shown = new Map(value.flatMap(row => {
        const drawn = rows.elementOf(row.agent.contextId);
        return drawn ? [[drawn, row] as const] : [];
      }));
      setReached(list, list.querySelector('[tabindex="0"]') ?? list.firstElementChild);
      goTo(at);
    }
  };
}

/** One row of all is reached by Tab. */
function setReached(list: HTMLElement, reached: Element | null): void {
  for (const row of list.children) {
    setAttribute(row, 'tabindex', row === reached ? '0' : '-1');
  }
}

function denseRow(): Part<Row> {
  const bar = timeBar();
  const el = h('div', '', bar.el);
  el.setAttribute('role', 'listitem');
  return {
    el,
    update(row) {
      setAttribute(el, 'aria-label', rowName(row));
      bar.update(row);
    }
  };
}
