/**
 * A notebook that was saved during a run and is opened again has a live card whose kernel is gone.
 * There ipywidgets says "model not found"; the run beside it in the same output is drawn instead.
 */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { isCodeCellModel } from '@jupyterlab/cells';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { insertion } from '../protocol/page-events';
import { readRunView } from '../protocol/read';
import { drawGuarded } from '../view/guarded';
import { inTurn } from '../view/in-turn';
import { EXTENSION } from './ids';
import { MIME_TYPE } from './mime';

/** Where ipywidgets draws; it says in words, with no element, that it has no model. */
const WIDGET_PLACE = 'jupyter-widgets';
/** A notebook changes often; it is looked at once in this time. */
const LOOK_MS = 250;
const OUTPUT = '.jp-OutputArea-output';

/** Draw the recorded runs, one after another, in the places of a notebook that show no live card. */
function drawOrphans(panel: NotebookPanel): void {
  for (const place of Array.from(panel.content.node.querySelectorAll<HTMLElement>(`${OUTPUT}.${WIDGET_PLACE}`))) {
    if (!place.firstElementChild) {
      void inTurn(() => drawOrphan(panel, place));
    }
  }
}

/** Draw one, unless something is drawn there by now. */
function drawOrphan(panel: NotebookPanel, place: HTMLElement): void {
  const view = panel.isDisposed || place.firstElementChild ? null : readRunView(runBeside(panel, place));
  if (view) {
    place.replaceChildren();
    drawGuarded(place, view, { isLive: false, ...insertion(() => view.sessionId) });
  }
}

/** What the notebook holds of our type in the output that is drawn at this place. */
function runBeside(panel: NotebookPanel, place: HTMLElement): unknown {
  const cell = panel.content.widgets.find(one => one.node.contains(place));
  if (!cell || !isCodeCellModel(cell.model)) {
    return undefined;
  }
  const drawn = Array.from(cell.node.querySelectorAll(OUTPUT));
  const outputs = cell.model.outputs;
  const index = drawn.indexOf(place);
  return index >= 0 && index < outputs.length ? outputs.get(index).data[MIME_TYPE] : undefined;
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: `${EXTENSION}:orphans`,
  description: 'Draws runs that were saved while they were going on.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_app: JupyterFrontEnd, tracker: INotebookTracker): void => {
    tracker.widgetAdded.connect((_, panel) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const observer = new MutationObserver(() => {
        timer ??= setTimeout(() => {
          timer = undefined;
          drawOrphans(panel);
        }, LOOK_MS);
      });
      observer.observe(panel.content.node, { subtree: true, childList: true, attributeFilter: ['class'] });
      panel.disposed.connect(() => {
        observer.disconnect();
        clearTimeout(timer);
      });
    });
  }
};

export default plugin;
