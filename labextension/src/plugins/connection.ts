/** Tells the cards when the connection to a kernel is lost, and when it is back. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { tellConnection } from '../protocol/page-events';
import { EXTENSION } from './ids';

const plugin: JupyterFrontEndPlugin<void> = {
  id: `${EXTENSION}:connection`,
  description: 'Tells live cards whether their kernel can be reached.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_app: JupyterFrontEnd, tracker: INotebookTracker): void => {
    tracker.widgetAdded.connect((_, panel) => {
      panel.sessionContext.connectionStatusChanged.connect(() => tellConnection());
    });
  }
};

export default plugin;
