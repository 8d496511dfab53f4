/** Small pieces that every section is made of. Nothing here parses markup: text stays text. */

import { plainText } from './plain-text';

/** One drawn thing that can take a newer value in place. */
export type Part<T> = {
  readonly el: HTMLElement;
  update(value: T): void;
  dispose?(): void;
};

/** Create an element; `text` becomes a text node. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = '',
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag);
  if (className) {
    el.className = className;
  }
  el.append(...content.map(item => (typeof item === 'string' ? plainText(item) : item)));
  return el;
}

/** Set the text of an element that holds text only; the text node is kept and changed in place. */
export function setText(el: HTMLElement, text: string): void {
  const clean = plainText(text);
  const first = el.firstChild;
  if (first instanceof Text && first === el.lastChild) {
    if (first.data !== clean) {
      first.data = clean;
    }
  } else if (clean || first) {
    el.textContent = clean;
  }
}

/** Set the text and hide the element when there is none. */
export function setTextOrHide(el: HTMLElement, text: string | undefined): void {
  setText(el, text ?? '');
  setHidden(el, !text);
}

export function setAttribute(el: Element, name: string, value: string | null): void {
  if (value === null) {
    el.removeAttribute(name);
  } else if (el.getAttribute(name) !== value) {
    el.setAttribute(name, value);
  }
}

/** Hiding what is hidden would count as a change, and a browser would look at it again. */
export function setHidden(el: HTMLElement, isHidden: boolean): void {
  if (el.hidden !== isHidden) {
    el.hidden = isHidden;
  }
}

export function setClass(el: Element, className: string): void {
  if (el.className !== className) {
    el.className = className;
  }
}

/** A sign that is read out as its word, or not at all. */
export function sign(className: string, glyph: string): HTMLElement {
  const el = h('span', className, glyph);
  el.setAttribute('aria-hidden', 'true');
  return el;
}

export function button(label: string, className: string, onClick: () => void): HTMLButtonElement {
  const el = h('button', className, label);
  el.type = 'button';
  el.addEventListener('click', () => {
    if (!el.hasAttribute('aria-disabled')) {
      onClick();
    }
  });
  return el;
}

/** Switch a button off without taking the focus from it, as `disabled` would. */
export function setOff(el: HTMLButtonElement, isOff: boolean): void {
  setAttribute(el, 'aria-disabled', isOff ? 'true' : null);
}

/** Name an element that scrolls and takes the focus; a name alone is not read out. */
export function setGroup(el: HTMLElement, label: string): void {
  el.setAttribute('role', 'group');
  el.setAttribute('aria-label', label);
}

/** A list whose items keep their element, focus and open state as long as their key lives. */
export class KeyedList<T> {
  private readonly parts = new Map<string, { readonly part: Part<T>; item: T | undefined }>();

  constructor(
    readonly el: HTMLElement,
    private readonly keyOf: (item: T, index: number) => string,
    private readonly make: (item: T) => Part<T>
  ) {}

  update(items: readonly T[]): void {
    const seen = new Set<string>();
    const keys = items.map((item, index) => uniqueKey(this.keyOf(item, index), seen));
    // What is gone goes first: the others need not be moved then, and what is moved loses the focus.
    this.removeAllBut(seen);
    let next: ChildNode | null = this.el.firstChild;
    items.forEach((item, index) => {
      const { el } = this.updated(keys[index] ?? '', item);
      if (el === next) {
        next = next.nextSibling;
      } else {
        this.el.insertBefore(el, next);
      }
    });
  }

  /** The element of an item that is drawn. */
  elementOf(key: string): HTMLElement | undefined {
    return this.parts.get(key)?.part.el;
  }

  dispose(): void {
    this.removeAllBut(new Set());
  }

  /** An item that is the very same object as before needs no work. */
  private updated(key: string, item: T): Part<T> {
    const known = this.parts.get(key) ?? { part: this.make(item), item: undefined };
    this.parts.set(key, known);
    if (known.item !== item) {
      known.item = item;
      known.part.update(item);
    }
    return known.part;
  }

  private removeAllBut(seen: ReadonlySet<string>): void {
    for (const [key, { part }] of this.parts) {
      if (!seen.has(key)) {
        part.dispose?.();
        part.el.remove();
        this.parts.delete(key);
      }
    }
  }
}

function uniqueKey(key: string, seen: Set<string>): string {
  let unique = key;
  for (let copy = 2; seen.has(unique); copy++) {
    unique = `${key}#${copy}`;
  }
  seen.add(unique);
  return unique;
}

/** A list of plain lines; its own element is hidden while it is empty. */
export function lineList(className: string, prefix = ''): Part<readonly string[]> {
  const el = h('ul', className);
  const lines = new KeyedList<string>(
    el,
    (_, index) => String(index),
    () => {
      const item = h('li');
      item.dir = 'auto';
      return { el: item, update: line => setText(item, prefix + line) };
    }
  );
  return {
    el,
    update(value) {
      setHidden(el, value.length === 0);
      lines.update(value);
    }
  };
}
