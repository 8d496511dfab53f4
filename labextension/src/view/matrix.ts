/** Who saw what, as a table: calls down, sections across. */

import type { MatrixRow, MatrixView, RunView } from '../protocol/generated';
import { h, setHidden, setTextOrHide } from './elements';
import { LARGE } from './groups';
import { inBrief } from './matrix-groups';
import type { CellPart } from './matrix-groups';
import { foldable } from './section';
import type { Part } from './elements';
import { MATRIX_CELLS, MATRIX_SIGNS, WORDS, sectionLabel } from '../words/catalogue';

/** From this many columns the heads are turned upright. */
const WIDE = 9;
/** Cells drawn; a table beyond it is cut, with a note. */
const MAX_CELLS = 20_000;

export function matrix(): Part<RunView> {
  const part = foldable('matrix');
  const main = region(WORDS.matrix);
  const every = region(WORDS.wholeMatrix);
  const cut = h('p', 'bc-dim');
  const whole = h('details', 'bc-group', h('summary', '', WORDS.wholeMatrix), every.el, cut);
  part.body.append(main.el, h('p', 'bc-dim bc-legend', WORDS.legend), whole);
  let latest: MatrixView | undefined;
  const drawn = new Map<Part<HTMLElement>, MatrixView>();
  const show = (place: Part<HTMLElement>, table: (view: MatrixView) => HTMLElement): void => {
    if (latest && drawn.get(place) !== latest) {
      drawn.set(place, latest);
      place.update(table(latest));
    }
  };
  const draw = (): void => {
    if (!latest || !part.isOpen) {
      return;
    }
    const isLarge = Math.max(latest.rows.length, latest.columns.length) > LARGE;
    setHidden(whole, !isLarge);
    show(main, isLarge ? briefTable : fullTable);
    if (isLarge && whole.open) {
      show(every, fullTable);
    }
  };
  part.onOpen(draw);
  whole.addEventListener('toggle', draw);
  return {
    el: part.el,
    update(view) {
      latest = view.matrix;
      const { rows, columns } = latest;
      part.show(rows.length > 0 && columns.length > 0);
      part.setTitle(WORDS.matrix, sizeOf(latest));
      const left = rows.length - rowLimit(latest);
      setTextOrHide(cut, left > 0 ? WORDS.more({ count: left }) : '');
      draw();
    }
  };
}

function sizeOf({ rows, columns }: MatrixView): string {
  const calls = WORDS.calls({ count: rows.length });
  return WORDS.matrixSize({ calls, sections: WORDS.sections({ count: columns.length }) });
}

/** Where a table scrolls; it keeps its place and the focus when a newer one comes. */
function region(label: string): Part<HTMLElement> {
  const el = h('div', 'bc-scroll');
  el.tabIndex = 0;
  el.setAttribute('role', 'region');
  el.setAttribute('aria-label', label);
  return { el, update: table => el.replaceChildren(table) };
}

/** Calls and sections that are alike stand as one. */
function briefTable(view: MatrixView): HTMLElement {
  const { columns, rows } = inBrief(view);
  const lines = rows.map(({ labels, cells }) => {
    const name = rowHead(labels.length > 1 ? WORDS.calls({ count: labels.length }) : (labels[0] ?? ''));
    if (labels.length > 1) {
      name.append(h('span', 'bc-names', labels.join(WORDS.comma)));
      name.title = labels.join(WORDS.comma);
    }
    return h('tr', '', name, ...cells.map(matrixCell));
  });
  return tableOf(columns.map(column => column.label), lines);
}

function fullTable(view: MatrixView): HTMLElement {
  const rows = view.rows.slice(0, rowLimit(view)).map(matrixRow);
  return tableOf(view.columns.map(sectionLabel), rows);
}

function rowLimit({ columns }: MatrixView): number {
  return Math.max(1, Math.floor(MAX_CELLS / columns.length));
}

function tableOf(labels: readonly string[], rows: readonly HTMLElement[]): HTMLElement {
  const el = h('table', 'bc-matrixtable', h('thead', '', headRow(labels)), h('tbody', '', ...rows));
  el.classList.toggle('bc-wide', labels.length >= WIDE);
  return el;
}

function headRow(labels: readonly string[]): HTMLElement {
  const el = h('tr', '', h('td'));
  for (const label of labels) {
    const cell = h('th', '', h('span', '', label));
    cell.scope = 'col';
    cell.title = label;
    el.append(cell);
  }
  return el;
}

function rowHead(label: string): HTMLTableCellElement {
  const el = h('th', '', label);
  el.scope = 'row';
  return el;
}

function matrixRow({ label, cells }: MatrixRow): HTMLElement {
  return h('tr', '', rowHead(label), ...cells.map(kind => matrixCell([{ kind, seen: 1, of: 1 }])));
}

/** `●`, `own`, or for several sections `own + 3 of 63`. */
function matrixCell(parts: readonly CellPart[]): HTMLElement {
  const shown = parts.map(part => shareOf(part) || MATRIX_SIGNS[part.kind]);
  const said = parts.map(part => [MATRIX_CELLS[part.kind], shareOf(part)].filter(Boolean).join(' '));
  const el = h('td', `bc-cell-${parts[0]?.kind ?? 'not_called'}`, shown.join(' + '));
  el.title = said.join(WORDS.comma);
  el.setAttribute('aria-label', el.title);
  return el;
}

function shareOf({ seen, of }: CellPart): string {
  return seen < of ? WORDS.done({ done: seen, all: of }) : '';
}
