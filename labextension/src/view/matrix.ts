/** Who saw what, as a table: calls down, sections across. */

import type { MatrixRow, MatrixView, RunView } from '../protocol/generated';
import { h } from './elements';
import { foldable } from './section';
import type { Part } from './elements';
import { MATRIX_CELLS, MATRIX_SIGNS, WORDS } from '../words/catalogue';

/** From this many columns the heads are turned upright. */
const WIDE = 9;
/** Cells drawn; a table beyond it is cut, with a note. */
const MAX_CELLS = 20_000;

export function matrix(): Part<RunView> {
  const part = foldable('matrix');
  let latest: MatrixView | undefined;
  let drawn: MatrixView | undefined;
  const draw = (): void => {
    if (latest && latest !== drawn && part.isOpen) {
      drawn = latest;
      part.body.replaceChildren(...table(latest));
    }
  };
  part.onOpen(draw);
  return {
    el: part.el,
    update(view) {
      latest = view.matrix;
      part.show(latest.rows.length > 0 && latest.columns.length > 0);
      const calls = WORDS.calls({ count: latest.rows.length });
      const sections = WORDS.sections({ count: latest.columns.length });
      part.setTitle(WORDS.matrix, WORDS.matrixSize({ calls, sections }));
      draw();
    }
  };
}

function table(view: MatrixView): HTMLElement[] {
  const limit = Math.max(1, Math.floor(MAX_CELLS / view.columns.length));
  const head = h('tr', '', h('td'));
  for (const column of view.columns) {
    const cell = h('th', '', h('span', '', column.label));
    cell.scope = 'col';
    cell.title = column.label;
    head.append(cell);
  }
  const rows = view.rows.slice(0, limit).map(row => matrixRow(row, view));
  const el = h('table', 'bc-matrixtable', h('thead', '', head), h('tbody', '', ...rows));
  el.classList.toggle('bc-wide', view.columns.length >= WIDE);
  const scroll = h('div', 'bc-scroll', el);
  scroll.tabIndex = 0;
  scroll.setAttribute('role', 'region');
  scroll.setAttribute('aria-label', WORDS.matrix);
  const notes = [h('p', 'bc-dim bc-legend', WORDS.legend)];
  if (view.rows.length > limit) {
    notes.unshift(h('p', 'bc-dim', WORDS.more({ count: view.rows.length - limit })));
  }
  return [scroll, ...notes];
}

function matrixRow(row: MatrixRow, view: MatrixView): HTMLElement {
  const name = h('th', '', row.label);
  name.scope = 'row';
  const el = h('tr', '', name);
  view.columns.forEach((column, index) => {
    const state = row.cells[index] ?? 'not_called';
    const word = MATRIX_CELLS[state];
    const cell = h('td', `bc-cell-${state}`, MATRIX_SIGNS[state]);
    cell.title = [row.label, column.label, word].join(WORDS.colon);
    cell.setAttribute('aria-label', word);
    el.append(cell);
  });
  return el;
}
