/** Draws saved runs in JupyterLab and Notebook, without kernel and without widget state. */

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';
import type { RunView } from '../protocol/generated';
import { insertion } from '../protocol/page-events';
import { readRunView } from '../protocol/read';
import { drawGuarded, showText } from '../view/guarded';
import { inTurn } from '../view/in-turn';
import type { Drawing } from '../view/run';
import { WORDS, speak } from '../words/catalogue';

export const MIME_TYPE = 'application/vnd.braincode.run+json';

class RunRenderer extends Widget implements IRenderMime.IRenderer {
  private drawing: Drawing | undefined;
  private view: RunView | null = null;

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.view = readRunView(model.data[MIME_TYPE]);
    if (!this.view) {
      this.drawing = undefined;
      const text = model.data['text/plain'];
      showText(this.node, typeof text === 'string' ? text : WORDS.notARun);
    } else if (this.drawing) {
      this.drawing.update(this.view);
    } else {
      // A notebook that opens with many cards draws them one after another.
      return new Promise(done =>
        inTurn(() => {
          this.draw();
          done();
        })
      );
    }
  }

  dispose(): void {
    this.drawing?.dispose();
    super.dispose();
  }

  private draw(): void {
    const { view } = this;
    if (view && !this.drawing && !this.isDisposed) {
      this.node.replaceChildren();
      const sessionId = (): string => this.view?.sessionId ?? view.sessionId;
      this.drawing = drawGuarded(this.node, view, { isLive: false, ...insertion(sessionId) });
    }
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
