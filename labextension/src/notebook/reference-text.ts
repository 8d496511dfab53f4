/** Writes references in a form that the grammar of requests reads as exactly their target. */

export type ReferenceKind = 'file' | 'session' | 'cell' | 'output';

const PREFIXES: Readonly<Record<ReferenceKind, string>> = {
  file: '@',
  session: '@@',
  cell: '@cell:',
  output: '@out:'
};
/** Forms that need no quotes: a plain word, or the number of an execution. */
const BARE = /^(?:[A-Za-z0-9_./-]*[A-Za-z0-9_]|\[\d+\])$/;
const MAX_CHARS = 1_024;

/** The token, or undefined where no form works. */
export function referenceTo(kind: ReferenceKind, target: string): string | undefined {
  if (!target || target.length > MAX_CHARS || /[`\r\n\u0000]/.test(target)) {
    return undefined;
  }
  const isImageWord = kind === 'file' && target === 'image';
  if (BARE.test(target) && !isImageWord) {
    return PREFIXES[kind] + target;
  }
  return `${PREFIXES[kind]}"${target.replace(/["\\]/g, '\\$&')}"`;
}

/** A path as the kernel of a notebook in `folder` sees it; undefined where it cannot reach it. */
export function pathBelow(path: string, folder: string): string | undefined {
  if (!folder) {
    return path;
  }
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
}
