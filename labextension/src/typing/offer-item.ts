/** How one offer is drawn in the list: sign of its kind, text, and what it stands for. */

import { Completer, CompleterModel } from '@jupyterlab/completer';
import type { CompletionHandler } from '@jupyterlab/completer';
import {
  codeIcon,
  consoleIcon,
  fileIcon,
  folderIcon,
  historyIcon,
  listIcon,
  markdownIcon,
  settingsIcon,
  tagIcon,
  variableIcon
} from '@jupyterlab/ui-components';
import type { LabIcon } from '@jupyterlab/ui-components';

export interface IOfferItem extends CompletionHandler.ICompletionItem {
  /** Absent in items of other providers. */
  readonly braincode?: IOffer;
}

export interface IOffer {
  readonly text: string;
  /** What the offer stands for; untrusted text. */
  readonly detail: string;
  /** Its place in the list. */
  readonly place: number;
  /** The typed text that it replaces, in the source of the cell. */
  readonly replaces: { readonly start: number; readonly end: number };
}

const ICONS: ReadonlyMap<string, LabIcon> = new Map([
  ['cell', codeIcon],
  ['markdown', markdownIcon],
  ['output', consoleIcon],
  ['variable', variableIcon],
  ['file', fileIcon],
  ['folder', folderIcon],
  ['session', historyIcon],
  ['prefix', listIcon],
  ['option', settingsIcon],
  ['subcommand', settingsIcon],
  ['value', tagIcon]
]);

/** Return one offer as the completer takes it. */
export function offerItem(kind: string, offer: IOffer): IOfferItem {
  const icon = ICONS.get(kind);
  return {
    label: offer.text,
    insertText: offer.text,
    type: kind,
    braincode: offer,
    ...(icon && { icon })
  };
}

/**
 * Holds our offers alone where a reference or an option is typed: other providers know the same less
 * well, and where one replaces less of the text, JupyterLab would insert ours behind what was typed.
 */
export class OfferModel extends CompleterModel {
  /** `isOurs`: there is nothing to be offered but ours, which may still be on their way. */
  constructor(private readonly isOurs: () => boolean) {
    super();
  }

  /** In the order of the kernel; JupyterLab goes by the alphabet, where `@var:` comes last. */
  completionItems(): CompletionHandler.ICompletionItems {
    const isKnown = this.processedItemsCache !== null;
    const items: readonly IOfferItem[] = super.completionItems();
    if (!isKnown) {
      const place = ({ braincode }: IOfferItem): number => braincode?.place ?? 0;
      this.processedItemsCache = [...items].sort((one, other) => place(one) - place(other));
    }
    return this.processedItemsCache ?? items;
  }

  setCompletionItems(items: IOfferItem[]): void {
    const ours: IOfferItem[] = [];
    for (const item of items) {
      if (item.braincode) {
        this.cursor = item.braincode.replaces;
        ours.push({ ...item, insertText: item.braincode.text });
      }
    }
    if (!ours.length && this.isOurs()) {
      // An empty list would count as open, and could not be opened again.
      this.reset(true);
      return;
    }
    super.setCompletionItems(ours.length ? ours : items);
  }
}

/** Draws our offers with their detail, and all others as the completer does. */
export class OfferRenderer extends Completer.Renderer {
  createCompletionItemNode(item: IOfferItem, orderedTypes: string[]): HTMLLIElement {
    const node = super.createCompletionItemNode(item, orderedTypes);
    const detail = item.braincode?.detail;
    const place = node.querySelector('.jp-Completer-typeExtended');
    if (detail !== undefined && place) {
      node.classList.add('bc-offer');
      place.textContent = detail;
    }
    return node;
  }

  itemWidthHeuristic(item: IOfferItem): number {
    return super.itemWidthHeuristic(item) + (item.braincode?.detail.length ?? 0);
  }

  createDocumentationNode(item: IOfferItem): HTMLElement {
    if (!item.braincode) {
      return super.createDocumentationNode(item);
    }
    const host = document.createElement('pre');
    host.className = 'bc-offer-preview';
    host.textContent = item.documentation ?? '';
    return host;
  }
}
