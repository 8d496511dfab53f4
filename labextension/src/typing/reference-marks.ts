/** Marks what looks like a reference, in the part of the body that is on the screen. */

import { syntaxTree } from '@codemirror/language';
import type { EditorState, Range } from '@codemirror/state';
import type { DecorationSet, EditorView } from '@codemirror/view';
import { Decoration } from '@codemirror/view';

/**
 * A picture of the kernel's grammar, near enough for a colour; what is sent is decided there.
 * Marker, then a quoted target or one without blanks and without sentence punctuation behind it.
 */
const TOKEN =
  /(?<![^\s])(?:@@|@(?:cell|out|var):|@)(?:"(?:[^"\\\n]|\\.)+"(?:!rows)?|[^\s@`、。，：；！？｡]+)/g;
const TRAILING = /(?:[.,;:!?*'"’”»…—]|['’]s)+$/;
const CLOSERS: ReadonlyMap<string, string> = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
  ['>', '<']
]);
const CODE = new Set(['InlineCode', 'FencedCode']);
const REFERENCE = Decoration.mark({ class: 'bc-reference' });
const MAGIC = Decoration.line({ class: 'bc-magic' });

/** Return the marks of the lines in view. */
export function marksOf(view: EditorView): DecorationSet {
  const marks: Range<Decoration>[] = [];
  const { state } = view;
  const head = headLine(state);
  for (const { from, to } of view.visibleRanges) {
    const start = Math.max(from, head.to);
    if (from <= head.from) {
      marks.push(MAGIC.range(head.from));
    }
    for (const match of state.sliceDoc(start, to).matchAll(TOKEN)) {
      const length = tokenLength(match[0]);
      const at = start + match.index;
      if (length > 1 && !isCode(state, at)) {
        marks.push(REFERENCE.range(at, at + length));
      }
    }
  }
  return Decoration.set(marks, true);
}

/** The line of the magic: the first one that is not empty. */
function headLine(state: EditorState): { from: number; to: number } {
  let line = state.doc.line(1);
  while (!line.text.trim() && line.number < state.doc.lines) {
    line = state.doc.line(line.number + 1);
  }
  return line;
}

/** The length of a token without the punctuation of the sentence behind it. */
export function tokenLength(token: string): number {
  if (token.endsWith('"') || token.endsWith('"!rows')) {
    return token.length;
  }
  let text = token;
  for (;;) {
    const before = text;
    text = text.replace(TRAILING, '');
    const last = text.charAt(text.length - 1);
    const opener = CLOSERS.get(last);
    if (opener && count(text, last) > count(text, opener)) {
      text = text.slice(0, -1);
    }
    if (text === before) {
      return /^@@?(?:(?:cell|out|var):)?$/.test(text) ? 0 : text.length;
    }
  }
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}

function isCode(state: EditorState, position: number): boolean {
  let node = syntaxTree(state).resolveInner(position, 1);
  for (;;) {
    if (CODE.has(node.name)) {
      return true;
    }
    if (!node.parent) {
      return false;
    }
    node = node.parent;
  }
}
