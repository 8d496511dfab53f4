/** The sessions panel in the sidebar, fed by the kernel of the notebook that is open. */

import { ILabShell, ILayoutRestorer } from '@jupyterlab/application';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Clipboard, Dialog, ICommandPalette, Notification } from '@jupyterlab/apputils';
import { INotebookTracker, NotebookActions } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import { COMMANDS } from '../commands';
import { insertCell } from '../notebook/insert-cell';
import { referenceTo } from '../notebook/reference-text';
import type { SessionRow } from '../protocol/generated';
import { insertion } from '../protocol/page-events';
import { readRunView } from '../protocol/read';
import { CardTab } from '../sessions/card-tab';
import { sessionsIcon } from '../sessions/icon';
import { KernelLink } from '../sessions/kernel-link';
import { LOAD_LINE, SessionsPanel } from '../sessions/panel';
import { commandLine } from '../view/command-line';
import { EXTENSION } from './ids';
import { LAB, WORDS } from '../words/catalogue';
import { speakAs } from '../words/translated';

const SAID_MS = 3_000;
const RANK = 850;
/** A cell after which the list is another one. */
const CHANGES_LIST = /^\s*%%?braincode\b|braincode_jupyter/;
/** The kernel's answer to a finished cell comes a little after it. */
const SETTLE_MS = 400;

class Sessions {
  readonly panel: SessionsPanel;
  private readonly tabs = new Map<string, CardTab>();
  private isStale = true;
  private link: KernelLink | undefined;
  private watched: NotebookPanel | null = null;

  constructor(
    private readonly app: JupyterFrontEnd,
    private readonly tracker: INotebookTracker,
    private readonly hasTabs: boolean
  ) {
    this.panel = new SessionsPanel({
      open: row => void this.open(row),
      copy: row => this.copy(row),
      resume: row => void this.insert(commandLine('resume', row.sessionId), undefined),
      goOn: row => void this.insert(`%%braincode --continue ${row.sessionId}\n`, 1),
      insertLoad: () => void this.insert(LOAD_LINE, undefined)
    });
    tracker.currentChanged.connect(() => this.watch());
    NotebookActions.executed.connect((_, { cell, notebook }) => {
      if (notebook === tracker.currentWidget?.content && CHANGES_LIST.test(cell.model.sharedModel.getSource())) {
        setTimeout(() => this.connect(), SETTLE_MS);
      }
    });
    this.watch();
  }

  /** The panel came into sight. */
  shown(): void {
    if (this.isStale) {
      this.connect();
    } else {
      this.panel.refresh();
    }
  }

  private watch(): void {
    this.watched?.sessionContext.kernelChanged.disconnect(this.connect, this);
    this.watched = this.tracker.currentWidget;
    this.watched?.sessionContext.kernelChanged.connect(this.connect, this);
    this.connect();
  }

  /** Nothing is asked while nobody looks. */
  private connect(): void {
    this.isStale = !this.panel.isVisible;
    if (this.isStale || this.panel.isDisposed) {
      return;
    }
    const kernel = this.tracker.currentWidget?.sessionContext.session?.kernel;
    this.link = kernel ? new KernelLink(kernel, () => this.panel.saySlow()) : undefined;
    this.panel.connect(this.link, this.tracker.currentWidget ? LAB.noKernel : LAB.noNotebook);
  }

  private async open(row: SessionRow): Promise<void> {
    const answer = await this.link?.card(row.sessionId).catch(() => undefined);
    const view = answer && 'view' in answer ? readRunView(answer.view) : null;
    if (!view) {
      const problem = answer && 'problem' in answer ? answer.problem : '';
      Notification.warning(problem || LAB.openFailed, { autoClose: false });
      return;
    }
    const insert = insertion(() => row.sessionId).insertCode;
    const card = new CardTab(view, (code, block) => insert?.(code, block));
    if (this.hasTabs) {
      this.openTab(row, card);
    } else {
      // Notebook 7 has one place in the middle, and it is taken.
      const buttons = [Dialog.cancelButton({ label: LAB.close })];
      await new Dialog({ body: card, buttons, hasClose: true, title: card.title.label }).launch();
    }
  }

  private openTab(row: SessionRow, tab: CardTab): void {
    this.tabs.get(row.sessionId)?.dispose();
    this.tabs.set(row.sessionId, tab);
    tab.disposed.connect(() => {
      if (this.tabs.get(row.sessionId) === tab) {
        this.tabs.delete(row.sessionId);
      }
    });
    this.app.shell.add(tab, 'main');
    this.app.shell.activateById(tab.id);
  }

  private copy(row: SessionRow): void {
    const token = referenceTo('session', row.sessionId);
    if (token) {
      Clipboard.copyToSystem(token);
      Notification.info(LAB.copiedReference({ tokens: token }), { autoClose: SAID_MS });
    }
  }

  private async insert(source: string, line: number | undefined): Promise<void> {
    const panel = this.tracker.currentWidget;
    if (!panel) {
      Notification.warning(LAB.notebookNeeded, { autoClose: SAID_MS });
      return;
    }
    this.app.shell.activateById(panel.id);
    const { content } = panel;
    if (!(await insertCell(content, content.activeCellIndex, { source, ...(line === undefined ? {} : { line }) }))) {
      Notification.warning(LAB.readOnly, { autoClose: SAID_MS });
    }
  }
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: `${EXTENSION}:sessions`,
  description: 'Lists the sessions of earlier runs.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ICommandPalette, ILayoutRestorer, ILabShell, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null,
    lab: ILabShell | null,
    translator: ITranslator | null
  ): void => {
    speakAs(translator);
    const sessions = new Sessions(app, tracker, lab !== null);
    const { panel } = sessions;
    panel.id = 'bc-sessions';
    panel.title.caption = LAB.sessions;
    panel.title.icon = sessionsIcon;
    panel.title.label = lab ? '' : LAB.sessions;
    panel.shown.connect(() => sessions.shown());
    app.shell.add(panel, 'left', { rank: RANK });
    restorer?.add(panel, panel.id);
    app.commands.addCommand(COMMANDS.showSessions, {
      label: LAB.showSessions,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => app.shell.activateById(panel.id)
    });
    palette?.addItem({ command: COMMANDS.showSessions, category: WORDS.palette });
  }
};

export default plugin;
