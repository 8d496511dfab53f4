/** *Insert below this cell*, on the code blocks of a card. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, Notification } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { Notebook } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import { COMMANDS } from '../commands';
import { insertCell } from '../notebook/insert-cell';
import { answerCards } from '../protocol/page-events';
import type { InsertedCode } from '../protocol/page-events';
import { EXTENSION } from './ids';
import { LAB, WORDS } from '../words/catalogue';
import { speakAs } from '../words/translated';

const SAID_MS = 4_000;

/** Where the cell goes: below the one that holds the card, else below the active one. */
function placeOf(tracker: INotebookTracker, from: Element): { notebook: Notebook; index: number } | undefined {
  const panel = tracker.find(one => one.content.node.contains(from)) ?? tracker.currentWidget;
  if (!panel) {
    return undefined;
  }
  const notebook = panel.content;
  const index = notebook.widgets.findIndex(cell => cell.node.contains(from));
  return { notebook, index: index < 0 ? notebook.activeCellIndex : index };
}

async function insertCode(tracker: INotebookTracker, from: Element, taken: InsertedCode): Promise<void> {
  const place = placeOf(tracker, from);
  if (!place) {
    Notification.warning(LAB.notebookNeeded, { autoClose: SAID_MS });
    return;
  }
  const { code, sessionId } = taken;
  const isDone = await insertCell(place.notebook, place.index, { source: code, sessionId });
  if (!isDone) {
    Notification.warning(LAB.readOnly, { autoClose: SAID_MS });
  }
}

/** The button of the code that was clicked or has the focus, else of the first in the active cell. */
function insertButton(app: JupyterFrontEnd, tracker: INotebookTracker, isClicked: boolean): HTMLElement | null {
  const isBlock = (node: Element): boolean => node.classList.contains('bc-codeblock');
  const block = isClicked ? app.contextMenuHitTest(isBlock) : document.activeElement?.closest('.bc-codeblock');
  const place = block ?? tracker.activeCell?.node;
  return place?.querySelector<HTMLElement>('.bc-insert') ?? null;
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: `${EXTENSION}:insert`,
  description: 'Inserts code of an answer as a cell.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ICommandPalette, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    palette: ICommandPalette | null,
    translator: ITranslator | null
  ): void => {
    speakAs(translator);
    answerCards((from, code) => void insertCode(tracker, from, code));
    app.commands.addCommand(COMMANDS.insertCode, {
      label: LAB.insertCode,
      caption: LAB.insertCodeHint,
      describedBy: { args: { type: 'object', properties: { isClicked: { type: 'boolean' } } } },
      isEnabled: args => insertButton(app, tracker, args.isClicked === true) !== null,
      execute: args => insertButton(app, tracker, args.isClicked === true)?.click()
    });
    palette?.addItem({ command: COMMANDS.insertCode, category: WORDS.palette });
  }
};

export default plugin;
