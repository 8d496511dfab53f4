/** Text that a reader approves: verbatim, marks stand out, a diff is coloured by its first character. */

import { h } from './elements';

/** Marks that Python put in the place of characters without ink, and of what was left out. */
const MARK = /(⟨(?:U\+[0-9A-F]{4,6}[^⟩\n]{0,24}|\d+ blank lines)⟩|… [\d,]+ more (?:lines|characters) …)/;
const HUNK = 'bc-hunk';
const HUNK_LINE = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const LEFT_OUT = /^… [\d,]+ more lines …$/;

export function drawExact(pre: HTMLElement, text: string, isDiff: boolean): void {
  const lines = isDiff ? text.split('\n') : [text];
  const classes = isDiff ? lineClasses(lines) : [];
  pre.replaceChildren(
    ...lines.map((line, index) => {
      const span = h('span', classes[index] ?? '', ...pieces(line));
      if (index < lines.length - 1) {
        span.append('\n');
      }
      return span;
    })
  );
}

/** A removed line may begin with `--` itself: only outside the lines of a hunk are there headers. */
function lineClasses(lines: readonly string[]): readonly string[] {
  let [left, right] = [0, 0];
  return lines.map(line => {
    const hunk = HUNK_LINE.exec(line);
    if (hunk) {
      [left, right] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
      return HUNK;
    }
    if (LEFT_OUT.test(line)) {
      // Where lines are left out, nobody knows where the hunk ends: what looks changed is changed.
      [left, right] = [Infinity, Infinity];
      return '';
    }
    if (left <= 0 && right <= 0) {
      return HUNK;
    }
    left -= line.startsWith('+') ? 0 : 1;
    right -= line.startsWith('-') ? 0 : 1;
    return line.startsWith('+') ? 'bc-added' : line.startsWith('-') ? 'bc-removed' : '';
  });
}

function pieces(line: string): (Node | string)[] {
  return line.split(MARK).map((piece, index) => (index % 2 ? h('span', 'bc-odd', piece) : piece));
}
