/** Shows the body of a request as Markdown and marks its references. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import type { Language } from '@codemirror/language';
import {
  EditorExtensionRegistry,
  IEditorExtensionRegistry,
  IEditorLanguageRegistry
} from '@jupyterlab/codemirror';
import { Highlighting } from '../typing/highlighting';
import type { IRequestLanguage } from '../typing/highlighting';
import { requestLanguage } from '../typing/request-language';
import { EXTENSION } from './ids';
import { ITypingSettings } from './settings';

const MARKDOWN = 'text/x-ipythongfm';

/** Markdown is loaded when the first request is on the page. */
class MarkdownBody implements IRequestLanguage {
  current: Language | undefined;
  private isLoading = false;

  constructor(
    private readonly languages: IEditorLanguageRegistry,
    private readonly settings: ITypingSettings,
    private readonly loaded: () => void
  ) {}

  get isWanted(): boolean {
    return this.settings.isOn('highlighting');
  }

  load(): void {
    if (this.isLoading) {
      return;
    }
    this.isLoading = true;
    this.languages
      .getLanguage(MARKDOWN)
      .then(found => {
        if (found?.support) {
          this.current = requestLanguage(found.support);
          this.loaded();
        }
      })
      .catch(reason => console.error('braincode: no Markdown', reason));
  }
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: `${EXTENSION}:highlight`,
  description: 'Highlights the requests of Braincode.',
  autoStart: true,
  requires: [IEditorExtensionRegistry, IEditorLanguageRegistry, ITypingSettings],
  activate: (
    _app: JupyterFrontEnd,
    editors: IEditorExtensionRegistry,
    languages: IEditorLanguageRegistry,
    settings: ITypingSettings
  ): void => {
    const body = new MarkdownBody(languages, settings, () => highlighting.refresh());
    const highlighting = new Highlighting(body);
    settings.changed.connect(() => highlighting.refresh());
    editors.addExtension({
      name: `${EXTENSION}:highlight`,
      factory: () => EditorExtensionRegistry.createImmutableExtension(highlighting.extension())
    });
  }
};

export default plugin;
