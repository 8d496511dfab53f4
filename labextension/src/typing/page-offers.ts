/** What the page can offer by itself while the kernel is busy: the cells that have a label. */

import type { NotebookPanel } from '@jupyterlab/notebook';
import { labelOf } from '../notebook/cell-label';
import { referenceTo } from '../notebook/reference-text';

export type PageOffer = { readonly text: string; readonly kind: 'cell' | 'markdown'; readonly detail: string };

const FRAGMENT = /(?:^|\s)(@(?:cell:?)?[^\s@`"]*)$/;
const MAX_OFFERS = 50;
const DETAIL_CHARS = 64;
/** Lines that say nothing of what a cell does. */
const NO_DETAIL = /^\s*(?:#\||$)/;

/** The reference that is being typed at the end of this text; empty where there is none. */
export function fragmentOf(before: string): string {
  return FRAGMENT.exec(before)?.[1] ?? '';
}

/** The labelled cells whose reference begins with the fragment, from the top. */
export function pageOffers(panel: NotebookPanel, fragment: string): PageOffer[] {
  const offers: PageOffer[] = [];
  for (const { model } of panel.content.widgets) {
    const label = model === panel.content.activeCell?.model ? '' : labelOf(model);
    const text = label && referenceTo('cell', label);
    if (text && fragment && text.startsWith(fragment) && offers.length < MAX_OFFERS) {
      const line = model.sharedModel.getSource().split('\n').find(one => !NO_DETAIL.test(one)) ?? '';
      const kind = model.type === 'markdown' ? 'markdown' : 'cell';
      offers.push({ text, kind, detail: line.trim().slice(0, DETAIL_CHARS) });
    }
  }
  return offers;
}
