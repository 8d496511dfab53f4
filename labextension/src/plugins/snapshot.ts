/** Sends the notebook to its kernel right before one of our cells runs. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import type { Cell } from '@jupyterlab/cells';
import type { Notebook } from '@jupyterlab/notebook';
import { INotebookTracker, NotebookActions } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import { SNAPSHOT_TARGET, tellKernel } from '../notebook/ask-kernel';
import { mayLookAtCells } from '../notebook/magic';
import { pageCells } from '../notebook/page-cells';
import { EXTENSION } from './ids';
import { ITypingSettings } from './settings';

class Snapshots {
  /** The notebook that was sent in this turn of the page; `Run All` schedules all cells in one. */
  private sent: Notebook | undefined;

  send(kernel: Kernel.IKernelConnection, notebook: Notebook, cell: Cell): void {
    const running = cell.model.id;
    if (this.sent === notebook) {
      tellKernel(kernel, SNAPSHOT_TARGET, { running });
      return;
    }
    const cells = pageCells(notebook, { withOutputs: true });
    if (!cells) {
      return;
    }
    tellKernel(kernel, SNAPSHOT_TARGET, { running, cells });
    this.sent = notebook;
    setTimeout(() => (this.sent = undefined), 0);
  }
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: `${EXTENSION}:snapshot`,
  description: 'Lets references see the notebook as the page shows it.',
  autoStart: true,
  requires: [INotebookTracker, ITypingSettings],
  activate: (_app: JupyterFrontEnd, tracker: INotebookTracker, settings: ITypingSettings): void => {
    const snapshots = new Snapshots();
    // Emitted just before the request to run the cell is sent.
    NotebookActions.executionScheduled.connect((_, { notebook, cell }) => {
      const isOurs = cell.model.type === 'code' && mayLookAtCells(cell.model.sharedModel.getSource());
      if (!isOurs || !settings.isOn('snapshots')) {
        return;
      }
      const panel = tracker.find(found => found.content === notebook);
      const kernel = panel?.sessionContext.session?.kernel;
      if (kernel?.handleComms) {
        snapshots.send(kernel, notebook, cell);
      }
    });
  }
};

export default plugin;
