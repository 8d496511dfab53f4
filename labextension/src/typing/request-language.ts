/** The body of a request as Markdown; the line of the magic above it stays plain. */

import { Language, LanguageSupport } from '@codemirror/language';
import type { Input, PartialParse, TreeFragment } from '@lezer/common';
import { NodeType, Parser, Tree } from '@lezer/common';
import { HEAD_CHARS } from '../notebook/magic';

const HEAD_LINE = /^\s*%%braincode[^\n]*\n?/;
/** Above the whole cell, so that the tree begins where the text does. */
const CELL = NodeType.define({ id: 0, name: 'BraincodeCell', top: true });

/** Return a language that reads what is below the first line as Markdown does. */
export function requestLanguage(markdown: LanguageSupport): Language {
  const parser = new BodyParser(markdown.language.parser);
  return new Language(markdown.language.data, parser, [], 'braincode');
}

class BodyParser extends Parser {
  constructor(private readonly markdown: Parser) {
    super();
  }

  // A request is short: it is read anew after each change, without the pieces read before.
  createParse(
    input: Input,
    _fragments: readonly TreeFragment[],
    ranges: readonly { from: number; to: number }[]
  ): PartialParse {
    const from = ranges[0]?.from ?? 0;
    const to = ranges[ranges.length - 1]?.to ?? input.length;
    const head = input.read(0, Math.min(input.length, HEAD_CHARS));
    const body = Math.max(from, Math.min(to, HEAD_LINE.exec(head)?.[0].length ?? 0));
    const inner = this.markdown.createParse(input, [], [{ from: body, to }]);
    return new BodyParse(inner, body, to);
  }
}

/** Puts the tree of the body where it stands in the cell. */
class BodyParse implements PartialParse {
  constructor(
    private readonly inner: PartialParse,
    private readonly from: number,
    private readonly to: number
  ) {}

  get parsedPos(): number {
    return this.inner.parsedPos;
  }

  get stoppedAt(): number | null {
    return this.inner.stoppedAt;
  }

  stopAt(position: number): void {
    this.inner.stopAt(position);
  }

  advance(): Tree | null {
    const tree = this.inner.advance();
    return tree && new Tree(CELL, [tree], [this.from], Math.max(this.to, this.from + tree.length));
  }
}
