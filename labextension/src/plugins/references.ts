/** *Copy as @ reference* on cells, outputs and files, and *Label this cell*. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Clipboard, ICommandPalette, InputDialog, Notification } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import { IFileBrowserFactory } from '@jupyterlab/filebrowser';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import { COMMANDS } from '../commands';
import { isGoodLabel, labelOf, setLabel } from '../notebook/cell-label';
import { pathBelow, referenceTo } from '../notebook/reference-text';
import type { ReferenceKind } from '../notebook/reference-text';
import { EXTENSION } from './ids';
import { LAB, WORDS } from '../words/catalogue';
import { speakAs } from '../words/translated';

const SAID_MS = 3_000;
const NO_ARGUMENTS = { args: { type: 'object', properties: {} } } as const;

type Place = { readonly panel: NotebookPanel; readonly cell: Cell };

/** The active cell, which a click with either button makes of the one below it. */
function placeOf(tracker: INotebookTracker): Place | undefined {
  const panel = tracker.currentWidget;
  const cell = panel?.content.activeCell;
  return panel && cell ? { panel, cell } : undefined;
}

function copy(tokens: readonly string[]): void {
  const text = tokens.join(' ');
  Clipboard.copyToSystem(text);
  Notification.info(LAB.copiedReference({ tokens: text }), { autoClose: SAID_MS });
}

function copyOrSay(kind: ReferenceKind, targets: readonly (string | undefined)[], problem: string): void {
  const tokens = targets.map(target => (target ? referenceTo(kind, target) : undefined));
  const good = tokens.filter((token): token is string => token !== undefined);
  if (good.length) {
    copy(good);
  } else {
    Notification.warning(problem, { autoClose: SAID_MS });
  }
}

async function label({ panel, cell }: Place): Promise<void> {
  const others = panel.content.widgets.filter(one => one !== cell).map(one => one.model);
  const taken = new Set(others.flatMap(model => [labelOf(model), model.id]));
  let problem = '';
  let text = labelOf(cell.model);
  for (;;) {
    const answer = await InputDialog.getText({
      title: LAB.labelTitle,
      label: [problem, LAB.labelAsk].filter(Boolean).join(' '),
      text,
      okLabel: LAB.labelOk
    });
    if (!answer.button.accept || cell.isDisposed) {
      return;
    }
    text = (answer.value ?? '').trim();
    problem = text && !isGoodLabel(text) ? LAB.labelBad : taken.has(text) && text ? LAB.labelTaken({ label: text }) : '';
    if (!problem) {
      setLabel(cell.model, text);
      panel.content.activate();
      return;
    }
  }
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: `${EXTENSION}:references`,
  description: 'Copies references, and labels cells.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ICommandPalette, IFileBrowserFactory, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    palette: ICommandPalette | null,
    files: IFileBrowserFactory | null,
    translator: ITranslator | null
  ): void => {
    speakAs(translator);
    const place = (): Place | undefined => placeOf(tracker);
    const add = (command: string, text: string, caption: string, execute: () => unknown): void => {
      app.commands.addCommand(command, {
        label: text,
        caption,
        describedBy: NO_ARGUMENTS,
        isEnabled: () => command === COMMANDS.copyFileReference || place() !== undefined,
        execute
      });
    };
    add(COMMANDS.copyCellReference, LAB.copyReference, LAB.copyReferenceHint, () => {
      const model = place()?.cell.model;
      copyOrSay('cell', [model && (labelOf(model) || model.id)], LAB.notExecuted);
    });
    add(COMMANDS.copyOutputReference, LAB.copyOutputReference, LAB.copyReferenceHint, () => {
      const count: unknown = place()?.cell.model.sharedModel.toJSON().execution_count;
      const target = typeof count === 'number' ? `[${count}]` : undefined;
      copyOrSay('output', [target], LAB.notExecuted);
    });
    add(COMMANDS.copyFileReference, LAB.copyReference, LAB.copyReferenceHint, () => {
      const chosen = [...(files?.tracker.currentWidget?.selectedItems() ?? [])];
      const folder = folderOf(tracker.currentWidget);
      const paths = chosen.map(item => {
        const path = pathBelow(withoutDrive(item.path), folder);
        return path && item.type === 'directory' ? `${path}/` : path;
      });
      copyOrSay('file', paths, LAB.outsideFolder);
    });
    add(COMMANDS.labelCell, LAB.labelCell, LAB.labelCellHint, async () => {
      const found = place();
      if (found?.panel.content.model?.readOnly) {
        Notification.warning(LAB.readOnly, { autoClose: SAID_MS });
      } else if (found) {
        await label(found);
      }
    });
    for (const command of [COMMANDS.copyCellReference, COMMANDS.copyOutputReference, COMMANDS.labelCell]) {
      palette?.addItem({ command, category: WORDS.palette });
    }
  }
};

function folderOf(panel: NotebookPanel | null): string {
  const path = panel ? withoutDrive(panel.context.path) : '';
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

/** A drive is a name of the page; the kernel does not know it. */
function withoutDrive(path: string): string {
  return path.slice(path.indexOf(':') + 1);
}

export default plugin;
