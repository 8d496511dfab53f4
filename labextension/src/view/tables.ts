/** Tables that a worker's tools made: their first rows as elements and text nodes, and the way to all. */

import type { TableView } from '../protocol/generated';
import { WORDS } from '../words/catalogue';
import type { Actions } from './actions';
import { copyButton } from './blocks';
import { KeyedList, button, h, setGroup, setHidden, setText, setTextOrHide } from './elements';
import type { Part } from './elements';
import { bytes } from './figures';

export function tables(actions: Actions): Part<readonly TableView[]> {
  const el = h('div', 'bc-tables');
  const list = new KeyedList<TableView>(el, table => table.uri, () => tableEntry(actions));
  return {
    el,
    update(value) {
      setHidden(el, value.length === 0);
      list.update(value);
    }
  };
}

function tableEntry(actions: Actions): Part<TableView> {
  let table: TableView | undefined;
  const name = h('b');
  name.dir = 'auto';
  const size = h('span', 'bc-dim');
  const scroll = h('div', 'bc-scroll');
  scroll.tabIndex = 0;
  const rest = h('p', 'bc-dim');
  const copy = copyButton(WORDS.copyCsv, WORDS.copyCsv, () => table?.csv ?? '');
  const insert = button(WORDS.insertBelow, 'bc-button bc-insert', () => actions.insertCode?.(table?.code ?? '', el));
  insert.title = WORDS.insertTable;
  const code = h('pre', 'bc-quoted');
  code.tabIndex = 0;
  const el = h('details', 'bc-made', h('summary', '', name, ' ', size));
  el.append(scroll, rest, h('p', 'bc-buttons', copy, insert), code);
  el.open = true;
  return {
    el,
    update(next) {
      table = next;
      setText(name, next.name);
      setText(size, `· ${sizeOf(next)}`);
      setGroup(scroll, WORDS.tableOf({ name: next.name }));
      setGroup(code, WORDS.plotTool({ tool: WORDS.code, label: next.name }));
      setHidden(scroll, next.heads.length === 0);
      scroll.replaceChildren(drawn(next));
      setTextOrHide(rest, leftOut(next));
      setHidden(copy, next.csv === '');
      copy.setAttribute('aria-label', WORDS.plotTool({ tool: WORDS.copyCsv, label: next.name }));
      setHidden(insert, !next.code || !actions.insertCode);
      insert.setAttribute('aria-label', WORDS.plotTool({ tool: WORDS.insertBelow, label: next.name }));
      setTextOrHide(code, actions.insertCode ? '' : next.code);
    }
  };
}

/** `600 rows × 3 columns · 14.2 kB`. */
function sizeOf(table: TableView): string {
  const columns = WORDS.columns({ count: table.columns });
  const size = table.rows === undefined ? columns : `${WORDS.rows({ count: table.rows })} × ${columns}`;
  if (!table.sizeBytes) {
    return `${size} · ${WORDS.notKept}`;
  }
  const isWhole = table.rows === table.keptRows;
  const kept = isWhole ? '' : WORDS.firstKept({ rows: WORDS.rows({ count: table.keptRows }) });
  return [size, bytes(table.sizeBytes), kept].filter(Boolean).join(' · ');
}

function leftOut(table: TableView): string {
  const rows = (table.rows ?? table.keptRows) - table.cells.length;
  const columns = table.columns - table.heads.length;
  const parts = [
    rows > 0 ? WORDS.rows({ count: rows }) : '',
    columns > 0 ? WORDS.columns({ count: columns }) : ''
  ].filter(Boolean);
  return table.heads.length && parts.length ? WORDS.notDrawn({ rest: parts.join(WORDS.comma) }) : '';
}

function drawn({ heads, cells }: TableView): HTMLElement {
  const side = (index: number): string => (heads[index]?.isNumber ? 'bc-right' : '');
  const head = h('tr', '', ...heads.map((column, index) => headCell(column.name, side(index))));
  const rows = cells.map(row => h('tr', '', ...row.map((cell, index) => textCell(cell, side(index)))));
  return h('table', 'bc-table', h('thead', '', head), h('tbody', '', ...rows));
}

function headCell(name: string, className: string): HTMLElement {
  const cell = h('th', className, name);
  cell.scope = 'col';
  cell.dir = 'auto';
  return cell;
}

function textCell(text: string, className: string): HTMLElement {
  const cell = h('td', className, text);
  cell.dir = 'auto';
  return cell;
}
