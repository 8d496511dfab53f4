/** The end of a text that is being written, not formatted yet: plain, or code. */

import { h, setHidden } from './elements';
import { plainText } from './plain-text';
import type { OpenCode } from './streamed-text';

export class GrowingText {
  readonly el: HTMLElement;
  private readonly text = document.createTextNode('');
  private readonly plain = h('div', 'bc-plain', this.text);
  private readonly code = h('code');
  private readonly language = h('span', 'bc-dim');
  private readonly block: HTMLElement;
  private held = '';

  constructor() {
    this.plain.dir = 'auto';
    const pre = h('pre', 'bc-code', this.code);
    pre.tabIndex = 0;
    this.block = h('div', 'bc-codeblock', pre, h('div', 'bc-tools', this.language));
    setHidden(this.block, true);
    this.el = h('div', 'bc-tail', this.plain, this.block);
  }

  /** Show this text and no other. */
  set(content: string, code?: OpenCode): void {
    this.place(code);
    const { shown, held } = split(plainText(content));
    if (this.text.data !== shown) {
      this.text.data = shown;
    }
    this.held = held;
    setHidden(this.plain, !shown || code !== undefined);
  }

  /** What is new is appended, so the text is never set anew for it. */
  append(more: string): void {
    const { shown, held } = split(this.held + plainText(more));
    this.text.appendData(shown);
    this.held = held;
    setHidden(this.plain, !this.text.data || !this.block.hidden);
  }

  private place(code: OpenCode | undefined): void {
    setHidden(this.block, code === undefined);
    this.language.textContent = plainText(code?.language ?? '').slice(0, 12);
    const parent = code ? this.code : this.plain;
    if (this.text.parentNode !== parent) {
      parent.append(this.text);
    }
  }
}

const FENCE = '`~';
const SPACE = ' \t\n';

/** Empty lines and the beginning of a fence wait at the end until it is clear what they become. */
function split(text: string): { readonly shown: string; readonly held: string } {
  let marks = text.length;
  while (marks > 0 && FENCE.includes(text.charAt(marks - 1))) {
    marks -= 1;
  }
  let words = marks;
  while (words > 0 && SPACE.includes(text.charAt(words - 1))) {
    words -= 1;
  }
  const end = text.indexOf('\n', words);
  return end < 0 ? { shown: text, held: '' } : { shown: text.slice(0, end), held: text.slice(end) };
}
