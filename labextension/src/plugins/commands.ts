/** Commands that need nothing but the notebook that is open. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker, NotebookActions } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import { COMMANDS } from '../commands';
import { WORDS } from '../words/catalogue';
import { speakAs } from '../words/translated';
import { EXTENSION } from './ids';

const RUN_CELL = '%%braincode\n';

async function insertRun(tracker: INotebookTracker): Promise<void> {
  const notebook = tracker.currentWidget?.content;
  if (!notebook?.model || notebook.model.readOnly) {
    return;
  }
  NotebookActions.insertBelow(notebook);
  const cell = notebook.activeCell;
  if (!cell) {
    return;
  }
  cell.model.sharedModel.setSource(RUN_CELL);
  await cell.ready;
  notebook.mode = 'edit';
  cell.editor?.setCursorPosition({ line: 1, column: 0 });
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: `${EXTENSION}:commands`,
  description: 'Commands to work with Brain cells.',
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
    app.commands.addCommand(COMMANDS.insertRun, {
      label: WORDS.insertRun,
      caption: WORDS.insertRunHint,
      describedBy: { args: { type: 'object', properties: {} } },
      isEnabled: () => tracker.currentWidget !== null,
      execute: () => insertRun(tracker)
    });
    palette?.addItem({ command: COMMANDS.insertRun, category: WORDS.palette });
  }
};

export default plugin;
