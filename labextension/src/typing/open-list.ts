/** Opens the list of offers while a reference or an option is being typed. */

import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { HEAD_CHARS, isLineMagic, isRequest } from '../notebook/magic';

/** What is being typed: a reference, or an option on the line of the magic. */
const REFERENCE = /(?:^|\s)@@?(?:(?:cell|out|var):)?(?:"[^"\n]*|[^\s@`"]*)$/;
const OPTION = /^\s*%%?braincode(?:\s.*)?\s--[\w-]*$/;
const MAX_BEFORE_CHARS = 300;
/** Set by JupyterLab on the editor while its list is open. */
const IS_OPEN = '.jp-mod-completer-active';

/** Whether a line of ours ends, before the cursor, in something that can be completed. */
export function isBeingTyped(before: string): boolean {
  const end = before.slice(-MAX_BEFORE_CHARS);
  return REFERENCE.test(end) || OPTION.test(end);
}

/** Return the extension of an editor; `open` opens the list for the editor that has the focus. */
export function opensList(open: () => void): Extension {
  return EditorView.updateListener.of(update => {
    const typed = update.transactions.some(
      transaction => transaction.isUserEvent('input') || transaction.isUserEvent('delete')
    );
    if (!typed || !update.docChanged || !update.view.hasFocus) {
      return;
    }
    const { state, dom } = update.view;
    const { main } = state.selection;
    const line = state.doc.lineAt(main.head);
    const before = line.text.slice(0, main.head - line.from);
    const isOurs = isRequest(state.sliceDoc(0, HEAD_CHARS)) || isLineMagic(line.text);
    if (main.empty && isOurs && isBeingTyped(before)) {
      // The completer has to hear of the change first.
      setTimeout(() => {
        if (!dom.closest(IS_OPEN)) {
          open();
        }
      }, 0);
    }
  });
}
