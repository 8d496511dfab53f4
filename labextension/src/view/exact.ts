/** Text that a reader approves: verbatim, marks stand out, a diff is coloured by its first character. */

import { h } from './elements';

/** Marks that Python put in the place of characters without ink, and of what was left out. */
const MARK = /(⟨(?:U\+[0-9A-F]{4,6}[^⟩\n]{0,24}|\d+ blank lines)⟩|… [\d,]+ more (?:lines|characters) …)/;
const HUNK = 'bc-hunk';

export function drawExact(pre: HTMLElement, text: string, isDiff: boolean): void {
  const lines = isDiff ? text.split('\n') : [text];
  pre.replaceChildren(
    ...lines.map((line, index) => {
      const span = h('span', isDiff ? lineClass(line) : '', ...pieces(line));
      if (index < lines.length - 1) {
        span.append('\n');
      }
      return span;
    })
  );
}

function lineClass(line: string): string {
  if (line.startsWith('+++') || line.startsWith('---') || line.startsWith('@@')) {
    return HUNK;
  }
  return line.startsWith('+') ? 'bc-added' : line.startsWith('-') ? 'bc-removed' : '';
}

function pieces(line: string): (Node | string)[] {
  return line.split(MARK).map((piece, index) => (index % 2 ? h('span', 'bc-odd', piece) : piece));
}
