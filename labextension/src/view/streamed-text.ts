/**
 * Text of one reply as it arrives in pieces. Offsets count code points, as Python does. Only the
 * newest part is kept, so that a reply of any length stays cheap to show.
 */

/** Characters kept; older ones are let go. */
export const KEPT_CHARS = 60_000;
/** Trimming copies the text, so it waits until this many more have come. */
const SLACK_CHARS = 20_000;

export type Change = { readonly kind: 'append' | 'replace' | 'none'; readonly text: string };

export class StreamedText {
  /** What is kept. */
  text = '';
  /** Code points before `text` that are not kept. */
  base = 0;
  /** Code points received in all. */
  end = 0;

  /** Take a piece; offset 0 after text was seen starts again, a jump drops what came before. */
  accept(offset: number, piece: string): Change {
    const size = codePoints(piece);
    if ((offset === 0 && this.end > 0) || offset > this.end) {
      this.base = offset;
      this.end = offset + size;
      this.text = piece;
      return this.trimmed({ kind: 'replace', text: piece });
    }
    const known = this.end - offset;
    if (known >= size) {
      return { kind: 'none', text: '' };
    }
    const fresh = known === 0 ? piece : Array.from(piece).slice(known).join('');
    this.text += fresh;
    this.end = offset + size;
    return this.trimmed({ kind: 'append', text: fresh });
  }

  private trimmed(change: Change): Change {
    if (this.text.length <= KEPT_CHARS + SLACK_CHARS) {
      return change;
    }
    const dropped = this.text.slice(0, -KEPT_CHARS);
    this.text = this.text.slice(-KEPT_CHARS);
    this.base += codePoints(dropped);
    return { kind: 'replace', text: this.text };
  }
}

function codePoints(text: string): number {
  let total = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    const pair = text.charCodeAt(index);
    if (pair >= 0xd800 && pair <= 0xdbff) {
      const next = text.charCodeAt(index + 1);
      if (next >= 0xdc00 && next <= 0xdfff) {
        total -= 1;
        index += 1;
      }
    }
  }
  return total;
}
