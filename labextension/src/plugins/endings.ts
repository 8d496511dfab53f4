/** Says that a background run is over, with a way to its cell. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { isInSight, onNews, wayTo } from '../notebook/background-news';
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

function tell(app: JupyterFrontEnd, panel: NotebookPanel, { state, title, cellId }: Ending): void {
  const isGood = state === 'completed';
  const { word } = (RUN_STATES as Readonly<Record<string, StateWord>>)[state] ?? RUN_STATES.interrupted;
  const words = LAB.ended({ state: word, title: shortened(oneLine(title), MAX_TITLE) });
  Notification.emit(words, isGood ? 'success' : state === 'failed' ? 'error' : 'warning', {
    // Zero keeps it in the list of notifications, without a pop-up.
    autoClose: isInSight(panel, cellId) ? 0 : isGood ? GOOD_MS : false,
    actions: wayTo(app, panel, cellId, LAB.goToCell)
  });
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: `${EXTENSION}:endings`,
  description: 'Tells of background runs that ended.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (app: JupyterFrontEnd, tracker: INotebookTracker): void =>
    onNews(tracker, TARGET, (panel, comm, first) => {
      tell(app, panel, readEnding(first));
      comm.send({ kind: 'shown' });
      comm.close();
    })
};

export default plugin;
