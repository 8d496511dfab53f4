/** Draws saved runs in JupyterLab and Notebook, without kernel and without widget state. */

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';
import { insertion } from '../protocol/page-events';
import { readRunView } from '../protocol/read';
import { drawGuarded, showText } from '../view/guarded';
import type { Drawing } from '../view/run';
import { WORDS, speak } from '../words/catalogue';

export const MIME_TYPE = 'application/vnd.braincode.run+json';

class RunRenderer extends Widget implements IRenderMime.IRenderer {
  private drawing: Drawing | undefined;

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const view = readRunView(model.data[MIME_TYPE]);
    if (!view) {
      this.drawing = undefined;
      const text = model.data['text/plain'];
      showText(this.node, typeof text === 'string' ? text : WORDS.notARun);
    } else if (this.drawing) {
      this.drawing.update(view);
    } else {
      this.node.replaceChildren();
      this.drawing = drawGuarded(this.node, view, { isLive: false, ...insertion(() => view.sessionId) });
    }
  }

  dispose(): void {
    this.drawing?.dispose();
    super.dispose();
  }
}

const extension: IRenderMime.IExtension = {
  id: 'braincode-jupyter-labextension:mime',
  description: 'Draws saved Brain runs.',
  rendererFactory: {
    safe: true,
    mimeTypes: [MIME_TYPE],
    // Below the live widget, above text/html.
    defaultRank: 40,
    createRenderer: options => {
      speak(options.translator?.languageCode);
      return new RunRenderer();
    }
  },
  rank: 40,
  dataType: 'json'
};

export default extension;
