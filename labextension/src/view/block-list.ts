/** Blocks of one text that grow at their end; what is drawn stays as it is. */

import type { Block } from '../protocol/generated';
import type { Actions } from './actions';
import { appendBlocks, blockBudget } from './blocks';
import { h } from './elements';

export class BlockList {
  readonly el = h('div', 'bc-text');
  private shown: readonly Block[] = [];
  private budget = blockBudget();

  constructor(private readonly actions: Actions) {}

  /**
   * Show these blocks; those that stand there already are kept, and the last one may be a list that
   * grew. Where more come than are drawn, the end tells how many are missing.
   */
  show(blocks: readonly Block[], isEnd: boolean): void {
    if (blocks === this.shown && !isEnd) {
      return;
    }
    const count = this.shown.length;
    const kept = Math.max(0, count - 1);
    const items = grownBy(this.shown[kept], blocks[kept]);
    if (!items || !isSame(this.shown.slice(0, kept), blocks) || (isEnd && this.budget.left <= 0)) {
      this.clear();
      this.append(this.el, blocks, 0);
    } else if (this.budget.left > 0) {
      this.append(this.el.lastElementChild ?? this.el, items, 1);
      this.append(this.el, blocks.slice(count), 0);
    }
    this.shown = blocks;
  }

  private clear(): void {
    this.el.replaceChildren();
    this.budget = blockBudget();
  }

  private append(el: Element, blocks: readonly Block[], depth: number): void {
    appendBlocks(el, blocks, this.actions, this.budget, depth);
  }
}

/** The children that a block has more than before; undefined if it is another block. */
function grownBy(before: Block | undefined, after: Block | undefined): readonly Block[] | undefined {
  if (before === after || !before) {
    return [];
  }
  const isSameKind = before.kind === after?.kind && before.ordered === after.ordered;
  if (before.kind === 'list' && isSameKind && isSame(before.children, after.children)) {
    return after.children.slice(before.children.length);
  }
  return after && isSame([before], [after]) ? [] : undefined;
}

/** Whether these blocks are the first of the others. */
function isSame(blocks: readonly Block[], others: readonly Block[]): boolean {
  return blocks.every(
    (block, index) => block === others[index] || JSON.stringify(block) === JSON.stringify(others[index])
  );
}
