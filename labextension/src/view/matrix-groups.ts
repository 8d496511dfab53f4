/** A large matrix in brief: calls that saw alike are one row, and texts of one kind are one column. */

import type { MatrixRow, MatrixView } from '../protocol/generated';
import { SECTIONS, sectionLabel } from '../words/catalogue';

export type CellKind = MatrixRow['cells'][number];

/** Some of a kind of text, where not all or none: `seen` of `of`. */
export type CellPart = { readonly kind: CellKind; readonly seen: number; readonly of: number };

export type Brief = {
  readonly columns: readonly BriefColumn[];
  readonly rows: readonly { readonly labels: readonly string[]; readonly cells: readonly (readonly CellPart[])[] }[];
};

/** One section, or one kind of text of several agents. */
export type BriefColumn = { readonly label: string; readonly places: readonly number[] };

export function inBrief(view: MatrixView): Brief {
  const columns = columnsOf(view);
  const rows = new Map<string, { labels: string[]; cells: readonly (readonly CellPart[])[] }>();
  for (const row of view.rows) {
    const cells = columns.map(({ places }) => cellOf(places.map(place => row.cells[place] ?? 'not_called')));
    const alike = JSON.stringify(cells);
    const known = rows.get(alike);
    if (known) {
      known.labels.push(row.label);
    } else {
      rows.set(alike, { labels: [row.label], cells });
    }
  }
  return { columns, rows: [...rows.values()] };
}

function columnsOf(view: MatrixView): readonly BriefColumn[] {
  const agents = new Set(view.rows.map(row => row.contextId));
  const columns = new Map<string, { label: string; places: number[] }>();
  view.columns.forEach((column, place) => {
    const { key } = column;
    const [kind = '', owner = ''] = splitOnce(key);
    const known = agents.has(owner) ? columns.get(kind) : undefined;
    if (known) {
      known.places.push(place);
    } else {
      columns.set(agents.has(owner) ? kind : `${kind}:${owner}`, { label: sectionLabel(column), places: [place] });
    }
  });
  return [...columns].map(([kind, { label, places }]) => ({
    label: places.length > 1 ? `${places.length} × ${SECTIONS.get(kind) ?? kind}` : label,
    places
  }));
}

function splitOnce(key: string): readonly string[] {
  const at = key.indexOf(':');
  return at < 0 ? [key] : [key.slice(0, at), key.slice(at + 1)];
}

/** What one call saw of the sections of a column: its own, and how many of the others. */
function cellOf(kinds: readonly CellKind[]): readonly CellPart[] {
  const others = kinds.filter(kind => kind !== 'own');
  const seen = others.filter(kind => kind === 'seen').length;
  const own: CellPart[] = others.length < kinds.length ? [{ kind: 'own', seen: 1, of: 1 }] : [];
  if (seen > 0) {
    return [...own, { kind: 'seen', seen, of: others.length }];
  }
  return own.length ? own : [{ kind: others[0] ?? 'not_called', seen: 0, of: 0 }];
}
