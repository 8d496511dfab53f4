/** Which cells are ours. What exactly they say is decided by the kernel. */

/** Far more blank lines than stand above a magic. */
export const HEAD_CHARS = 1_000;

const CELL_MAGIC = /^\s*%%braincode(?![^\s])/;
const LINE_MAGIC = /^[ \t]*%braincode[ \t]/;
const ASKS = /^[ \t]*%%?braincode(?![^\s])|@(?:cell|out):/m;

/** Whether a cell that begins like this is a request. */
export function isRequest(head: string): boolean {
  return CELL_MAGIC.test(head.slice(0, HEAD_CHARS));
}

/** Whether this line is one of `%braincode`. */
export function isLineMagic(line: string): boolean {
  return LINE_MAGIC.test(line);
}

/** Whether running this source may look at cells of the notebook. */
export function mayLookAtCells(source: string): boolean {
  return ASKS.test(source);
}
