/** Plots that tools made. Only two kinds of image are drawn, from the view itself: nothing is fetched. */

import type { PlotView, RunView } from '../protocol/generated';
import { KeyedList, h, setText } from './elements';
import type { Part } from './elements';
import { foldable } from './section';
import { WORDS } from '../words/catalogue';

const MEDIA_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg']);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

export function plots(): Part<RunView> {
  const part = foldable('plots');
  const list = new KeyedList<PlotView>(part.body, plot => plot.uri, plotFigure);
  return {
    el: part.el,
    update(view) {
      part.show(view.plots.length > 0);
      part.setTitle(WORDS.plots, view.plots.map(plot => plot.label).join(WORDS.comma));
      part.setOpen(true);
      list.update(view.plots);
    }
  };
}

function plotFigure(): Part<PlotView> {
  const image = h('img');
  const label = h('figcaption', 'bc-dim');
  label.dir = 'auto';
  const el = h('figure', 'bc-plot', image, label);
  let broken = false;
  let plot: PlotView | undefined;
  const say = (): void => setText(label, broken && plot ? WORDS.plotBroken(plot.label) : (plot?.label ?? ''));
  image.addEventListener('error', () => {
    broken = image.hidden = true;
    say();
  });
  return {
    el,
    update(next) {
      plot = next;
      broken = !MEDIA_TYPES.has(next.mediaType) || !BASE64.test(next.data);
      image.hidden = broken;
      image.alt = next.label;
      if (!broken) {
        image.src = `data:${next.mediaType};base64,${next.data}`;
      }
      say();
    }
  };
}
