import { SHAPES } from './generated';
import type { Block, RunView, Said, Sentence, Shape } from './generated';

/** Items read of one list; a saved notebook can hold anything. */
const MAX_ITEMS = 5_000;
/** Nesting of objects and lists. */
const MAX_DEPTH = 40;
/** Places of one text of the catalogue. */
const MAX_VALUES = 16;
/** Characters read of one string. */
const MAX_CHARS = 2_000_000;

/**
 * Read JSON from outside as a `RunView`: fields that are missing or of a wrong type get their default
 * or else their empty value, unknown ones are left out. Null when it is not a run at all.
 */
export function readRunView(data: unknown): RunView | null {
  if (!isRecord(data) || typeof data.sessionId !== 'string') {
    return null;
  }
  return readObject(data, 'RunView', 0) as RunView;
}

/** Read blocks of formatted text. */
export function readBlocks(data: unknown): readonly Block[] {
  return readArray(data, ['object', 'Block'], 0) as Block[];
}

/** Read JSON from outside as an object of the schema; what is missing gets its empty value. */
export function readObjectOf<T>(data: unknown, name: keyof typeof SHAPES): T {
  return readObject(data, name, 0) as T;
}

export function isRecord(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

/** The same JSON object reads as the same object, so that what did not change is not drawn again. */
const known = new WeakMap<object, unknown>();

function readObject(data: unknown, name: string, depth: number): unknown {
  const source = isRecord(data) && depth < MAX_DEPTH ? data : {};
  return known.get(source) ?? readFields(source, name, depth);
}

function readFields(source: Record<string, unknown>, name: string, depth: number): unknown {
  const result: Record<string, unknown> = {};
  known.set(source, result);
  for (const [field, shape] of Object.entries(SHAPES[name] ?? {})) {
    const value = readValue(source[field], shape, depth + 1);
    if (value !== undefined) {
      result[field] = value;
    }
  }
  return result;
}

function readValue(data: unknown, shape: Shape, depth: number): unknown {
  switch (shape[0]) {
    case 'string':
      return typeof data === 'string' ? data.slice(0, MAX_CHARS) : (shape[1] ?? '');
    case 'said':
      return readSaid(data, depth);
    case 'number':
      return typeof data === 'number' && Number.isFinite(data) ? data : (shape[1] ?? 0);
    case 'boolean':
      return typeof data === 'boolean' ? data : shape[1];
    case 'enum':
      return shape[2].includes(data as string) ? data : shape[1];
    case 'optional':
      return data === undefined || data === null ? undefined : readValue(data, shape[1], depth);
    case 'array':
      return readArray(data, shape[1], depth);
    case 'tuple':
      return shape[1].map((item, index) =>
        readValue(Array.isArray(data) ? data[index] : undefined, item, depth)
      );
    case 'object':
      return readObject(data, shape[1], depth);
  }
}

/** A text as it came, or a sentence of ours; a saved one of an older version is a text. */
function readSaid(data: unknown, depth: number): Said {
  if (!isRecord(data) || typeof data.key !== 'string' || depth >= MAX_DEPTH) {
    return typeof data === 'string' ? data.slice(0, MAX_CHARS) : '';
  }
  const values: [string, string | number | Sentence][] = isRecord(data.values)
    ? Object.entries(data.values)
        .slice(0, MAX_VALUES)
        .map(([name, value]) => [name, typeof value === 'number' ? value : readSaid(value, depth + 1)])
    : [];
  const english = typeof data.english === 'string' ? data.english.slice(0, MAX_CHARS) : '';
  const read = known.get(data) ?? { key: data.key, values: Object.fromEntries(values), english };
  known.set(data, read);
  return read as Sentence;
}

function readArray(data: unknown, item: Shape, depth: number): unknown {
  if (!Array.isArray(data) || depth >= MAX_DEPTH) {
    return [];
  }
  const read =
    known.get(data) ?? data.slice(0, MAX_ITEMS).map(value => readValue(value, item, depth + 1));
  known.set(data, read);
  return read;
}
