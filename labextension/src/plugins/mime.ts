/** Draws saved runs in JupyterLab and Notebook, without kernel and without widget state. */

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';
import { insertion } from '../protocol/page-events';
import { readRunView } from '../protocol/read';
import { drawGuarded, showText } from '../view/guarded';
import { inTurn } from '../view/in-turn';
import type { Drawing } from '../view/run';
import { WORDS } from '../words/catalogue';
import { speakAs } from '../words/translated';

export const MIME_TYPE = 'application/vnd.braincode.run+json';

class RunRenderer extends Widget implements IRenderMime.IRenderer {
  private drawing: Drawing | undefined;
  private model: IRenderMime.IMimeModel | undefined;
  private sessionId = '';

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.model = model;
    if (this.drawing) {
      this.drawModel();
      return;
    }
    // A notebook that opens with many cards reads and draws them one after another; even to ask the
    // model for its data copies all of it.
    return inTurn(() => this.drawModel());
  }

  dispose(): void {
    this.drawing?.dispose();
    super.dispose();
  }

  private drawModel(): void {
    const data = this.isDisposed ? undefined : this.model?.data;
    this.model = undefined;
    if (data) {
      this.drawData(data);
    }
  }

  private drawData(data: IRenderMime.IMimeModel['data']): void {
    const view = readRunView(data[MIME_TYPE]);
    this.sessionId = view?.sessionId ?? '';
    if (!view) {
      this.drawing = undefined;
      const text = data['text/plain'];
      showText(this.node, typeof text === 'string' ? text : WORDS.notARun);
    } else if (this.drawing) {
      this.drawing.update(view);
    } else {
      this.node.replaceChildren();
      this.drawing = drawGuarded(this.node, view, { isLive: false, ...insertion(() => this.sessionId) });
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
      speakAs(options.translator);
      return new RunRenderer();
    }
  },
  rank: 40,
  dataType: 'json'
};

export default extension;
