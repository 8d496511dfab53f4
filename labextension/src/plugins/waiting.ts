/** Says that a background run waits for an approval, with a way to its card, until none waits. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { isInSight, onNews, wayTo } from '../notebook/background-news';
import { isRecord } from '../protocol/read';
import { oneLine } from '../view/plain-text';
import { EXTENSION } from './ids';
import { LAB } from '../words/catalogue';

const TARGET = 'braincode.waiting';
/** Calls of one run that are told apart. */
const MAX_CALLS = 64;

type Asked = {
  readonly approvalIds: readonly string[];
  readonly role: string;
  readonly action: string;
  readonly cellId: string;
};

function readAsked(data: unknown): Asked {
  const text = (value: unknown): string => (typeof value === 'string' ? oneLine(value) : '');
  const source = isRecord(data) ? data : {};
  const ids: unknown[] = Array.isArray(source.approvalIds) ? source.approvalIds : [];
  return {
    approvalIds: ids.slice(0, MAX_CALLS).map(text),
    role: text(source.role),
    action: text(source.action),
    cellId: text(source.cellId)
  };
}

/** The one notification of a run: it comes up again only for a call that it has not told of. */
class Notice {
  private id = '';
  private readonly told = new Set<string>();

  constructor(
    private readonly app: JupyterFrontEnd,
    private readonly panel: NotebookPanel
  ) {}

  tell({ approvalIds, role, action, cellId }: Asked): void {
    const isNew = approvalIds.some(id => !this.told.has(id));
    approvalIds.forEach(id => this.told.add(id));
    const message = LAB.waiting({ count: approvalIds.length, role, action });
    if (!isNew) {
      Notification.update({ id: this.id, message });
      return;
    }
    this.end();
    this.id = Notification.emit(message, 'warning', {
      // Zero keeps it in the list of notifications, without a pop-up.
      autoClose: isInSight(this.panel, cellId) ? 0 : false,
      actions: wayTo(this.app, this.panel, cellId, LAB.show)
    });
  }

  end(): void {
    if (this.id) {
      Notification.dismiss(this.id);
    }
  }
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: `${EXTENSION}:waiting`,
  description: 'Tells of background runs that wait for an approval.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (app: JupyterFrontEnd, tracker: INotebookTracker): void =>
    onNews(tracker, TARGET, (panel, comm, first) => {
      const notice = new Notice(app, panel);
      const take = (data: unknown): void => {
        notice.tell(readAsked(data));
        comm.send({ kind: 'shown' });
      };
      comm.onMsg = message => take(message.content.data);
      comm.onClose = () => notice.end();
      take(first);
    })
};

export default plugin;
