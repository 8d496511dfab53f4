/** Draws `Block` trees: formatted text as elements and text nodes, never as markup. */

import type { Block, Span } from '../protocol/generated';
import type { Actions } from './actions';
import { button, h, setGroup } from './elements';
import { plainText } from './plain-text';
import { WORDS, spoken } from '../words/catalogue';

/** Blocks drawn of one text. */
const MAX_BLOCKS = 4_000;
const MAX_DEPTH = 16;
const SAFE_LINK = /^(https?:\/\/|mailto:)/i;
/** From this level on a heading is one of the lower kind. */
const LOWER_LEVEL = 3;

/** As the author of a table said. */
const ALIGNMENTS: Readonly<Record<Block['align'], string>> = {
  '': '',
  left: '',
  center: 'bc-center',
  right: 'bc-right'
};

/** Blocks that may still be drawn, and whether a heading was. */
export type Budget = { left: number; hasHeading: boolean };

export function blockBudget(): Budget {
  return { left: MAX_BLOCKS, hasHeading: false };
}

export function drawBlocks(blocks: readonly Block[], actions: Actions): DocumentFragment {
  const fragment = document.createDocumentFragment();
  appendBlocks(fragment, blocks, actions, blockBudget(), 0);
  return fragment;
}

export function appendBlocks(
  parent: Node,
  blocks: readonly Block[],
  actions: Actions,
  budget: Budget,
  depth: number
): void {
  if (depth > MAX_DEPTH) {
    parent.appendChild(h('p', '', textOf(blocks)));
    return;
  }
  for (const [index, block] of blocks.entries()) {
    budget.left -= 1;
    if (budget.left <= 0) {
      parent.appendChild(h('p', 'bc-dim', WORDS.more({ count: blocks.length - index })));
      return;
    }
    parent.appendChild(drawBlock(block, actions, budget, depth));
  }
}

/** Blocks that are nested too deeply to be drawn are their text. */
function textOf(blocks: readonly Block[]): string {
  const own = (block: Block): string => block.spans.map(span => span.text).join('') + block.text;
  return blocks.map(block => [own(block), textOf(block.children)].filter(Boolean).join(' ')).join('\n');
}

function drawBlock(block: Block, actions: Actions, budget: Budget, depth: number): HTMLElement {
  switch (block.kind) {
    case 'paragraph':
      return withSpans(h('p'), block.spans);
    case 'note':
      return h('p', 'bc-dim', spoken(block.note));
    case 'heading':
      return withSpans(h(headingTag(block.level, budget), 'bc-heading'), block.spans);
    case 'code':
      return codeBlock(block.text, block.language, actions);
    case 'rule':
      return h('hr');
    case 'table':
      return h('div', 'bc-scroll', nest(h('table', 'bc-table'), block, actions, budget, depth));
    case 'row':
      return drawRow(block, actions, budget, depth);
    case 'list':
      return nest(block.ordered ? numberedFrom(block.start) : h('ul'), block, actions, budget, depth);
    case 'quote':
      return nest(h('blockquote'), block, actions, budget, depth);
    case 'item':
      return nest(h('li'), block, actions, budget, depth);
    case 'cell':
      return nest(h('td'), block, actions, budget, depth);
  }
}

/** Headings of a text stand below the card's own, and none is deeper than by one than that before it. */
function headingTag(level: number, budget: Budget): 'h5' | 'h6' {
  const isLower = level >= LOWER_LEVEL && budget.hasHeading;
  budget.hasHeading = true;
  return isLower ? 'h6' : 'h5';
}

/** What stands between its items, such as code, can cut a list of steps in several. */
function numberedFrom(start: number): HTMLElement {
  const el = h('ol');
  if (start !== 1) {
    el.start = start;
  }
  return el;
}

function drawRow(block: Block, actions: Actions, budget: Budget, depth: number): HTMLElement {
  const row = h('tr');
  for (const cell of block.children) {
    budget.left -= 1;
    if (budget.left <= 0) {
      break;
    }
    const el = h(block.header ? 'th' : 'td', ALIGNMENTS[cell.align]);
    row.append(nest(el, cell, actions, budget, depth + 1));
  }
  return row;
}

function nest(
  el: HTMLElement,
  block: Block,
  actions: Actions,
  budget: Budget,
  depth: number
): HTMLElement {
  withSpans(el, block.spans);
  appendBlocks(el, block.children, actions, budget, depth + 1);
  return el;
}

function withSpans(el: HTMLElement, spans: readonly Span[]): HTMLElement {
  el.dir = 'auto';
  for (const span of spans) {
    el.append(drawSpan(span));
  }
  return el;
}

function drawSpan(span: Span): Node {
  let node: Node = document.createTextNode(plainText(span.text));
  if (span.code) {
    node = h('code', '', node);
  }
  if (span.strong) {
    node = h('strong', '', node);
  }
  if (span.emphasis) {
    node = h('em', '', node);
  }
  return span.href && SAFE_LINK.test(span.href) ? link(node, span.href) : node;
}

/** A link that shows where it leads. */
function link(content: Node, href: string): HTMLElement {
  const el = h('a', '', content);
  el.href = href;
  el.rel = 'noopener noreferrer';
  el.target = '_blank';
  el.title = plainText(href);
  const host = el.hostname;
  if (!host || el.textContent?.includes(host)) {
    return el;
  }
  return h('span', '', el, h('span', 'bc-dim', ` (${host})`));
}

/** What a code cell of a Python kernel can hold. */
const CELL_LANGUAGES: ReadonlySet<string> = new Set(['', 'python', 'python3', 'py', 'ipython']);

function codeBlock(text: string, language: string, actions: Actions): HTMLElement {
  const el = h('div', 'bc-codeblock');
  const code = h('code', '', text);
  const pre = h('pre', 'bc-code', code);
  pre.tabIndex = 0;
  const tools = h('div', 'bc-tools');
  const name = plainText(language).slice(0, 12);
  if (name) {
    tools.append(h('span', 'bc-dim', name));
  }
  setGroup(pre, name || WORDS.code);
  tools.append(copyButton(WORDS.copyCode, WORDS.copyCode, () => text));
  const { insertCode } = actions;
  if (insertCode && CELL_LANGUAGES.has(language.trim().toLowerCase())) {
    tools.append(button(WORDS.insertBelow, 'bc-button bc-insert', () => insertCode(text, el)));
  }
  el.append(pre, tools);
  return el;
}

/** How long `copied` stands on the button. */
const COPIED_MS = 1_500;

/** A button that copies text and says so. */
export function copyButton(label: string, name: string, text: () => string): HTMLButtonElement {
  const say = (word: string): void => {
    el.textContent = word;
    setTimeout(() => {
      el.textContent = label;
    }, COPIED_MS);
  };
  const el = button(label, 'bc-button', () => {
    const copied: Promise<void> | undefined = navigator.clipboard?.writeText(text());
    if (!copied) {
      say(WORDS.copyFailed);
      return;
    }
    copied.then(
      () => say(WORDS.copied),
      () => say(WORDS.copyFailed)
    );
  });
  el.setAttribute('aria-label', name);
  return el;
}
