/** A titled part of the card. Foldable ones open while the run is going on and fold at its end. */

import { h, setClass, setHidden, setText } from './elements';

export type Section = {
  readonly el: HTMLElement;
  readonly body: HTMLElement;
  /** Hidden when there is nothing to say. */
  show(isShown: boolean): void;
  /** Title, and the line that stands beside it when the section is folded. */
  setTitle(title: string, line?: string, isTroubled?: boolean): void;
};

export type Foldable = Section & {
  /** Open or fold, unless the reader chose for himself or is inside. */
  setOpen(isOpen: boolean): void;
  readonly isOpen: boolean;
  /** Called whenever the section is opened. */
  onOpen(listener: () => void): void;
};

export function section(name: string): Section {
  const title = h('h4', 'bc-title');
  const body = h('div', 'bc-body');
  const el = h('section', `bc-section bc-${name}`, title, body);
  el.hidden = true;
  return {
    el,
    body,
    show: isShown => {
      setHidden(el, !isShown);
    },
    setTitle: (text, line = '') => {
      setText(title, line ? `${text} · ${line}` : text);
      setLabel(el, text);
    }
  };
}

export function foldable(name: string): Foldable {
  const title = h('span', 'bc-title');
  title.setAttribute('role', 'heading');
  title.setAttribute('aria-level', '4');
  const line = h('span', 'bc-line');
  const summary = h('summary', 'bc-fold', title, line);
  const body = h('div', 'bc-body');
  const el = h('details', `bc-section bc-${name}`, summary, body);
  el.hidden = true;
  let isChosen = false;
  summary.addEventListener('click', () => {
    isChosen = true;
  });
  return {
    el,
    body,
    get isOpen() {
      return el.open;
    },
    show: isShown => {
      setHidden(el, !isShown);
    },
    setTitle: (text, detail = '', isTroubled = false) => {
      setText(title, text);
      setClass(line, isTroubled ? 'bc-line bc-is-warn' : 'bc-line');
      setText(line, detail);
      setLabel(el, text);
    },
    setOpen: isOpen => {
      const isInside = body.contains(document.activeElement);
      if (!isChosen && el.open !== isOpen && !(isInside && !isOpen)) {
        el.open = isOpen;
      }
    },
    onOpen: listener => {
      el.addEventListener('toggle', () => {
        if (el.open) {
          listener();
        }
      });
    }
  };
}

function setLabel(el: HTMLElement, label: string): void {
  if (el.getAttribute('aria-label') !== label) {
    el.setAttribute('aria-label', label);
  }
}
