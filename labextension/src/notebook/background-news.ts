/** What kernels tell of runs in the background, and the way from there to their cells. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { Notification } from '@jupyterlab/apputils';
import { CodeCell } from '@jupyterlab/cells';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import { goTo } from './insert-cell';

/** Take every line that a kernel of a notebook opens to this target; `first` is what it said first. */
export function onNews(
  tracker: INotebookTracker,
  target: string,
  take: (panel: NotebookPanel, comm: Kernel.IComm, first: unknown) => void
): void {
  const listen = (panel: NotebookPanel, kernel: Kernel.IKernelConnection | null | undefined): void =>
    kernel?.registerCommTarget(target, (comm, message) => take(panel, comm, message.content.data));
  tracker.widgetAdded.connect((_, panel) => {
    listen(panel, panel.sessionContext.session?.kernel);
    panel.sessionContext.kernelChanged.connect((__, change) => listen(panel, change.newValue));
  });
}

/** Who has the card before his eyes needs no message over it. */
export function isInSight(panel: NotebookPanel, cellId: string): boolean {
  const cell = panel.content.widgets[indexOf(panel, cellId)];
  const node = cell instanceof CodeCell ? cell.outputArea.node : cell?.node;
  if (!node || !panel.isVisible || document.hidden) {
    return false;
  }
  const [card, frame] = [node.getBoundingClientRect(), panel.content.node.getBoundingClientRect()];
  return card.height > 0 && card.top < frame.bottom && card.bottom > frame.top;
}

/** A button of a notification that leads to a cell; none if the cell is gone. */
export function wayTo(
  app: JupyterFrontEnd,
  panel: NotebookPanel,
  cellId: string,
  label: string
): Notification.IAction[] {
  const callback = (): void => {
    app.shell.activateById(panel.id);
    panel.content.activeCellIndex = indexOf(panel, cellId);
    void goTo(panel.content, panel.content.widgets[indexOf(panel, cellId)]);
  };
  return indexOf(panel, cellId) < 0 ? [] : [{ label, callback }];
}

function indexOf(panel: NotebookPanel, cellId: string): number {
  return panel.content.widgets.findIndex(cell => cell.model.id === cellId);
}
