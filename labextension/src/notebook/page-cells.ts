/** The cells of a notebook as the page shows them, bounded, in the notebook's own format. */

import type { ICellModel, ICodeCellModel } from '@jupyterlab/cells';
import type { Notebook } from '@jupyterlab/notebook';
import type { JSONObject, ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';

export const MAX_CELLS = 2_000;
/** Sources of all cells together; a larger notebook is not sent. */
export const MAX_SOURCE_CHARS = 4_000_000;
/** Outputs of all cells together; further ones are left out, with a mark. */
export const MAX_OUTPUT_CHARS = 4_000_000;
/** One output, as much as the kernel keeps. */
const MAX_TEXT_CHARS = 24_000;
const MAX_IMAGE_CHARS = 1_500_000;
const MAX_OUTPUTS = 200;

const TEXT_TYPES = ['text/plain', 'text/markdown', 'text/latex', 'text/html'];
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
/** Stands for what was left out; the kernel shows it to a model, so it is in no language. */
const NOT_SENT = '[…]';

/** What is left to be spent. */
interface IBudget {
  chars: number;
}

/** Return the cells, or null if there are too many or they are too large. */
export function pageCells(
  notebook: Notebook,
  options: { readonly withOutputs: boolean }
): JSONObject[] | null {
  const models = notebook.model?.cells;
  if (!models || models.length > MAX_CELLS) {
    return null;
  }
  const budget: IBudget = { chars: MAX_OUTPUT_CHARS };
  const cells: JSONObject[] = [];
  let chars = 0;
  for (const model of models) {
    const source = model.sharedModel.getSource();
    chars += source.length;
    if (chars > MAX_SOURCE_CHARS) {
      return null;
    }
    cells.push({
      id: model.id,
      cell_type: model.type,
      source,
      metadata: { tags: tagsOf(model) },
      ...(isCode(model) && {
        execution_count: model.executionCount,
        outputs: options.withOutputs ? outputsOf(model, budget) : []
      })
    });
  }
  return cells;
}

function isCode(model: ICellModel): model is ICodeCellModel {
  return model.type === 'code';
}

function tagsOf(model: ICellModel): string[] {
  const tags: unknown = model.getMetadata('tags');
  return Array.isArray(tags) ? tags.filter(tag => typeof tag === 'string').slice(0, 100) : [];
}

function outputsOf(model: ICodeCellModel, budget: IBudget): JSONObject[] {
  const outputs: JSONObject[] = [];
  for (let index = 0; index < Math.min(model.outputs.length, MAX_OUTPUTS); index += 1) {
    const output = outputOf(model.outputs.get(index).toJSON() as ReadonlyJSONObject, budget);
    if (output) {
      outputs.push(output);
    }
  }
  return outputs;
}

/** Return one output without what the kernel does not read; null for an unknown kind. */
function outputOf(found: ReadonlyJSONObject, budget: IBudget): JSONObject | null {
  switch (found['output_type']) {
    case 'stream':
      return {
        output_type: 'stream',
        name: text(found['name']).slice(0, 20),
        text: spend(clip(text(found['text'])), budget)
      };
    case 'error':
      return {
        output_type: 'error',
        ename: text(found['ename']).slice(0, 200),
        evalue: spend(clip(text(found['evalue'])), budget)
      };
    case 'execute_result':
    case 'display_data':
      return { output_type: found['output_type'], data: bundleOf(found['data'], budget) };
    default:
      return null;
  }
}

function bundleOf(data: ReadonlyJSONValue | undefined, budget: IBudget): JSONObject {
  const bundle = (data ?? {}) as ReadonlyJSONObject;
  const kept: JSONObject = {};
  for (const type of TEXT_TYPES) {
    if (bundle[type] !== undefined) {
      kept[type] = spend(clip(text(bundle[type])), budget);
    }
  }
  for (const type of IMAGE_TYPES) {
    const image = text(bundle[type]);
    if (image && image.length <= Math.min(MAX_IMAGE_CHARS, budget.chars)) {
      budget.chars -= image.length;
      kept[type] = image;
    }
  }
  return kept;
}

/** Return a text if it can still be paid, else a mark in its place. */
function spend(value: string, budget: IBudget): string {
  if (value.length > budget.chars) {
    return NOT_SENT;
  }
  budget.chars -= value.length;
  return value;
}

/** Return the start and the end of a long text, and how much is missing between them. */
function clip(value: string): string {
  if (value.length <= MAX_TEXT_CHARS) {
    return value;
  }
  const half = MAX_TEXT_CHARS / 2 - 40;
  const cut = value.length - 2 * half;
  return `${value.slice(0, half)}\n[… ${cut} …]\n${value.slice(-half)}`;
}

/** A text of the notebook format: a string, or its lines. */
function text(value: ReadonlyJSONValue | undefined): string {
  const whole = Array.isArray(value) ? value.join('') : value;
  return typeof whole === 'string' ? whole : '';
}
