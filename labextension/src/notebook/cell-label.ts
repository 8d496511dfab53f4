/** Labels of cells, read and written as the kernel reads them: a `#|` line, or a tag. */

import type { ICellModel } from '@jupyterlab/cells';

const LABEL_LINE = /^[ \t]*#\|[ \t]*label[ \t]*:[ \t]*(\S[^\n]*)$/;
const HEAD_LINE = /^[ \t]*(?:#|%%|$)/;
const TAG = 'braincode:';
/** Lines at the top of a cell in which a label may stand. */
const HEAD_LINES = 30;
const GOOD_LABEL = /^[\p{L}_][\p{L}\p{N}_-]{0,63}$/u;
const PLACES: ReadonlySet<string> = new Set(['above']);

/** The label of a cell; empty without one. */
export function labelOf(cell: ICellModel): string {
  return labelInSource(cell.sharedModel.getSource()) || labelInTags(cell);
}

/** Whether a text can be a label that a reference reaches. */
export function isGoodLabel(label: string): boolean {
  return GOOD_LABEL.test(label) && !PLACES.has(label);
}

/** Give a cell a label, in place of the one it has; empty takes it away. */
export function setLabel(cell: ICellModel, label: string): void {
  const { sharedModel } = cell;
  const source = sharedModel.getSource();
  const takesLine = cell.type === 'code' && !isRunCell(source);
  // In a cell of ours such a line would be part of the request.
  sharedModel.transact(() => {
    if (cell.type === 'code') {
      const next = withLabelLine(source, takesLine ? label : '');
      if (next !== source) {
        sharedModel.setSource(next);
      }
    }
    setTag(cell, takesLine ? '' : label);
  });
}

function isRunCell(source: string): boolean {
  return /^\s*%%braincode\b/.test(source);
}

function labelInSource(source: string): string {
  const at = labelLine(source.split('\n'));
  return at === undefined ? '' : at.label;
}

function labelLine(lines: readonly string[]): { index: number; label: string } | undefined {
  for (const [index, line] of lines.slice(0, HEAD_LINES).entries()) {
    const match = LABEL_LINE.exec(line);
    if (match) {
      return { index, label: (match[1] ?? '').replace(/^["' \t]+|["' \t]+$/g, '') };
    }
    if (!HEAD_LINE.test(line)) {
      return undefined;
    }
  }
  return undefined;
}

function withLabelLine(source: string, label: string): string {
  const lines = source.split('\n');
  const known = labelLine(lines);
  if (known) {
    lines.splice(known.index, 1, ...(label ? [`#| label: ${label}`] : []));
  } else if (label) {
    lines.splice(/^%%/.test(lines[0] ?? '') ? 1 : 0, 0, `#| label: ${label}`);
  }
  return lines.join('\n');
}

function tagsOf(cell: ICellModel): string[] {
  const tags: unknown = cell.getMetadata('tags');
  return Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === 'string') : [];
}

function labelInTags(cell: ICellModel): string {
  const tag = tagsOf(cell).find(one => one.startsWith(TAG));
  return tag ? tag.slice(TAG.length) : '';
}

function setTag(cell: ICellModel, label: string): void {
  const known = tagsOf(cell);
  const tags = known.filter(tag => !tag.startsWith(TAG));
  if (label) {
    tags.push(TAG + label);
  }
  if (tags.length) {
    cell.setMetadata('tags', tags);
  } else if (known.length) {
    cell.deleteMetadata('tags');
  }
}
