/** Offers references and options in JupyterLab's list of completions. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { EditorExtensionRegistry, IEditorExtensionRegistry } from '@jupyterlab/codemirror';
import { ICompletionProviderManager } from '@jupyterlab/completer';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { opensList } from '../typing/open-list';
import { ReferenceProvider } from '../typing/reference-provider';
import { EXTENSION } from './ids';
import { ITypingSettings } from './settings';

const plugin: JupyterFrontEndPlugin<void> = {
  id: `${EXTENSION}:completer`,
  description: 'Completes references and options in cells of Braincode.',
  autoStart: true,
  requires: [
    ICompletionProviderManager,
    IEditorExtensionRegistry,
    INotebookTracker,
    ITypingSettings
  ],
  activate: (
    _app: JupyterFrontEnd,
    completions: ICompletionProviderManager,
    editors: IEditorExtensionRegistry,
    tracker: INotebookTracker,
    settings: ITypingSettings
  ): void => {
    const open = (panel: NotebookPanel | null): void => {
      if (panel && settings.isOn('completion')) {
        completions.invoke(panel.id);
      }
    };
    completions.registerProvider(new ReferenceProvider(settings, open));
    editors.addExtension({
      name: `${EXTENSION}:opens-list`,
      factory: () =>
        EditorExtensionRegistry.createImmutableExtension(
          opensList(() => open(tracker.currentWidget))
        )
    });
  }
};

export default plugin;
