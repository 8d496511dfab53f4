/** The card of a session in a tab of its own, drawn by the functions that draw every card. */

import { Widget } from '@lumino/widgets';
import type { RunView } from '../protocol/generated';
import { drawGuarded } from '../view/guarded';
import type { Drawing } from '../view/run';
import { sessionsIcon } from './icon';
import { oneLine, shortened } from '../view/plain-text';
import { LAB } from '../words/catalogue';

const MAX_TITLE = 40;
let made = 0;

export class CardTab extends Widget {
  private readonly drawing: Drawing;

  constructor(view: RunView, insertCode: (code: string, block: Element) => void) {
    super();
    made += 1;
    this.id = `bc-card-${made}`;
    this.addClass('bc-card-tab');
    this.node.tabIndex = -1;
    const title = oneLine(view.title || view.request);
    this.title.label = shortened(title, MAX_TITLE) || LAB.noPrompt;
    this.title.caption = LAB.cardOf({ title });
    this.title.icon = sessionsIcon;
    this.title.closable = true;
    this.drawing = drawGuarded(this.node, view, { isLive: false, insertCode });
  }

  dispose(): void {
    this.drawing.dispose();
    super.dispose();
  }

  protected onActivateRequest(): void {
    this.node.focus();
  }
}
