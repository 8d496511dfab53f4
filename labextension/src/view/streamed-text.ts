/**
 * Text of one reply as it arrives in pieces: what is settled, as blocks, and the rest, as text.
 * Offsets count code points, as Python does. Of the rest only the newest part is kept, so that a
 * reply of any length stays cheap to show.
 */

import type { Block } from '../protocol/generated';
import { isRecord, readBlocks } from '../protocol/read';

/** Characters kept; older ones are let go. */
export const KEPT_CHARS = 60_000;
/** Trimming copies the text, so it waits until this many more have come. */
const SLACK_CHARS = 20_000;

/** Code that is being written: where its first line begins. */
export type OpenCode = { readonly language: string; readonly offset: number };

/** Blocks that can no longer change. */
export type Settled = {
  /** They come in the place of all that was settled before. */
  readonly isWhole: boolean;
  /** The first one goes on with the last list that was settled before. */
  readonly joins: boolean;
  readonly blocks: readonly Block[];
  /** Where the text begins that is not settled. */
  readonly until: number;
  /** That text is code. */
  readonly code: OpenCode | undefined;
};

export type Piece = {
  readonly contextId: string;
  readonly offset: number;
  readonly text: string;
  readonly settled?: Settled | undefined;
};

/** What has to be drawn anew: the end of the text, all of it, or nothing. */
export type Change = { readonly kind: 'append' | 'replace' | 'none'; readonly text: string };

export class StreamedText {
  /** What is kept. */
  text = '';
  /** Code points before `text` that are not kept. */
  base = 0;
  /** Code points received in all. */
  end = 0;
  blocks: readonly Block[] = [];
  until = 0;
  code: OpenCode | undefined;

  /** Take a piece; offset 0 after text was seen starts again, a jump drops what came before. */
  accept({ offset, text: piece, settled }: Piece): Change {
    const isAgain = offset === 0 && this.end > 0;
    if (isAgain) {
      this.startAt(0);
      this.settle(NOTHING);
    }
    if (settled) {
      this.settle(settled);
    }
    const isJump = offset > this.end;
    if (isJump) {
      this.startAt(offset);
    }
    const change = this.append(offset, piece);
    return isAgain || isJump || settled ? { kind: 'replace', text: this.text } : change;
  }

  /** Everything, as one piece. */
  whole(contextId: string): Piece {
    const { blocks, until, code } = this;
    const settled = { isWhole: true, joins: false, blocks, until, code };
    return { contextId, offset: this.base, text: this.text, settled };
  }

  /** Code points before `text` that are neither kept nor settled. */
  get lost(): number {
    return this.base - this.until;
  }

  /** The kept text from an offset on. */
  from(offset: number): string {
    return offset <= this.base ? this.text : withoutFirst(this.text, offset - this.base);
  }

  private startAt(offset: number): void {
    this.base = offset;
    this.end = offset;
    this.text = '';
  }

  private settle(settled: Settled): void {
    this.blocks = settled.isWhole ? settled.blocks : joinBlocks(this.blocks, settled);
    this.until = settled.until;
    this.code = settled.code;
    if (this.until >= this.end) {
      this.startAt(this.until);
    } else if (this.until > this.base) {
      this.text = withoutFirst(this.text, this.until - this.base);
      this.base = this.until;
    }
  }

  private append(offset: number, piece: string): Change {
    const size = codePoints(piece);
    const known = this.end - offset;
    if (known >= size) {
      return { kind: 'none', text: '' };
    }
    const fresh = withoutFirst(piece, known);
    this.text += fresh;
    this.end = offset + size;
    if (this.text.length <= KEPT_CHARS + SLACK_CHARS) {
      return { kind: 'append', text: fresh };
    }
    const dropped = this.text.slice(0, -KEPT_CHARS);
    this.text = this.text.slice(-KEPT_CHARS);
    this.base += codePoints(dropped);
    return { kind: 'replace', text: this.text };
  }
}

const NOTHING: Settled = { isWhole: true, joins: false, blocks: [], until: 0, code: undefined };

/** Read what the kernel says is settled; undefined if it says nothing. */
export function readSettled(data: unknown): Settled | undefined {
  if (!isRecord(data) || typeof data.until !== 'number') {
    return undefined;
  }
  const code = isRecord(data.code) ? data.code : undefined;
  return {
    isWhole: data.isWhole === true,
    joins: data.joins === true,
    blocks: readBlocks(data.blocks),
    until: data.until,
    code: code && { language: String(code.language ?? ''), offset: Number(code.offset) || 0 }
  };
}

function joinBlocks(known: readonly Block[], { joins, blocks }: Settled): readonly Block[] {
  const [last, [first, ...rest]] = [known[known.length - 1], blocks];
  if (!joins || !last || !first) {
    return [...known, ...blocks];
  }
  const grown = { ...last, children: [...last.children, ...first.children] };
  return [...known.slice(0, -1), grown, ...rest];
}

function withoutFirst(text: string, count: number): string {
  let index = 0;
  for (let left = count; left > 0 && index < text.length; left--) {
    index += isPair(text, index) ? 2 : 1;
  }
  return text.slice(index);
}

function codePoints(text: string): number {
  let total = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    if (isPair(text, index)) {
      total -= 1;
      index += 1;
    }
  }
  return total;
}

/** Whether two code units at this place are one code point. */
function isPair(text: string, index: number): boolean {
  const [high, low] = [text.charCodeAt(index), text.charCodeAt(index + 1)];
  return high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff;
}
