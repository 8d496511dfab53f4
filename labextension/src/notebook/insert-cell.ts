/** Inserts cells; none is ever run by it, and the notebook's undo takes it back. */

import type { Cell } from '@jupyterlab/cells';
import type { Notebook } from '@jupyterlab/notebook';

/** Characters that an inserted cell takes. */
const MAX_CHARS = 400_000;

export type NewCell = {
  readonly source: string;
  /** The session whose answer it was taken from. */
  readonly sessionId?: string;
  /** Line of the cursor; a cell with one is opened for typing. */
  readonly line?: number;
};

/** Insert a code cell below the cell at `index`, and go to it; false if the notebook is read-only. */
export async function insertCell(notebook: Notebook, index: number, cell: NewCell): Promise<boolean> {
  const { model } = notebook;
  if (!model || model.readOnly) {
    return false;
  }
  const at = Math.min(Math.max(index, -1), model.cells.length - 1) + 1;
  const origin = cell.sessionId ? { braincode: { from: `@@${cell.sessionId}` } } : {};
  // Trust is about outputs, and there are none; like JupyterLab's own cells. It is not saved.
  const metadata = { trusted: true, ...origin };
  model.sharedModel.insertCell(at, {
    cell_type: 'code',
    source: cell.source.slice(0, MAX_CHARS),
    metadata
  });
  notebook.deselectAll();
  notebook.activeCellIndex = at;
  await goTo(notebook, notebook.widgets[at], cell.line);
  return true;
}

/** Make a cell the active one and bring it into sight. */
export async function goTo(notebook: Notebook, cell: Cell | undefined, line?: number): Promise<void> {
  if (!cell) {
    return;
  }
  await notebook.scrollToCell(cell, 'auto');
  await cell.ready;
  notebook.mode = line === undefined ? 'command' : 'edit';
  notebook.activate();
  if (line !== undefined) {
    cell.editor?.setCursorPosition({ line, column: 0 });
  }
}
