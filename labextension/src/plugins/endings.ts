/** Says that a background run is over, with a way to its cell. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { CodeCell } from '@jupyterlab/cells';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { goTo } from '../notebook/insert-cell';
import { isRecord } from '../protocol/read';
import { oneLine, shortened } from '../view/plain-text';
import { EXTENSION } from './ids';
import { LAB, RUN_STATES } from '../words/catalogue';
import type { StateWord } from '../words/catalogue';

const TARGET = 'braincode.ended';
const GOOD_MS = 10_000;
const MAX_TITLE = 90;

type Ending = { readonly state: string; readonly title: string; readonly cellId: string };

function readEnding(data: unknown): Ending {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const source = isRecord(data) ? data : {};
  return { state: text(source.state), title: text(source.title), cellId: text(source.cellId) };
}

function cellOf(panel: NotebookPanel, cellId: string): number {
  return panel.content.widgets.findIndex(cell => cell.model.id === cellId);
}

/** Who has the card before his eyes needs no message over it. */
function isInSight(panel: NotebookPanel, index: number): boolean {
  const cell = panel.content.widgets[index];
  const node = cell instanceof CodeCell ? cell.outputArea.node : cell?.node;
  if (!node || !panel.isVisible || document.hidden) {
    return false;
  }
  const [card, frame] = [node.getBoundingClientRect(), panel.content.node.getBoundingClientRect()];
  return card.height > 0 && card.top < frame.bottom && card.bottom > frame.top;
}

function tell(app: JupyterFrontEnd, panel: NotebookPanel, ending: Ending): void {
  const { state, title, cellId } = ending;
  const index = cellOf(panel, cellId);
  const isGood = state === 'completed';
  const { word } = (RUN_STATES as Readonly<Record<string, StateWord>>)[state] ?? RUN_STATES.interrupted;
  const words = LAB.ended({ state: word, title: shortened(oneLine(title), MAX_TITLE) });
  const show = {
    label: LAB.goToCell,
    callback: () => {
      app.shell.activateById(panel.id);
      panel.content.activeCellIndex = cellOf(panel, cellId);
      void goTo(panel.content, panel.content.widgets[cellOf(panel, cellId)]);
    }
  };
  Notification.emit(words, isGood ? 'success' : state === 'failed' ? 'error' : 'warning', {
    // Zero keeps it in the list of notifications, without a pop-up.
    autoClose: isInSight(panel, index) ? 0 : isGood ? GOOD_MS : false,
    actions: index < 0 ? [] : [show]
  });
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: `${EXTENSION}:endings`,
  description: 'Tells of background runs that ended.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (app: JupyterFrontEnd, tracker: INotebookTracker): void => {
    const listen = (panel: NotebookPanel, kernel: Kernel.IKernelConnection | null | undefined): void => {
      kernel?.registerCommTarget(TARGET, (comm: Kernel.IComm, message: KernelMessage.ICommOpenMsg) => {
        tell(app, panel, readEnding(message.content.data));
        comm.send({ kind: 'shown' });
        comm.close();
      });
    };
    tracker.widgetAdded.connect((_, panel) => {
      listen(panel, panel.sessionContext.session?.kernel);
      panel.sessionContext.kernelChanged.connect((__, change) => listen(panel, change.newValue));
    });
  }
};

export default plugin;
