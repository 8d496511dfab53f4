/** Plots that tools made. Only two kinds of image are drawn, from the view itself: nothing is fetched. */

import type { PlotView, RunView } from '../protocol/generated';
import { KeyedList, button, h, setText } from './elements';
import type { Part } from './elements';
import { foldable } from './section';
import { WORDS } from '../words/catalogue';

const MEDIA_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg']);
/** Characters of a label that a file is named after. */
const NAME_CHARS = 80;
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
  const large = button(WORDS.plotLarge, 'bc-button', () => {
    const isLarge = el.classList.toggle('bc-large');
    const word = isLarge ? WORDS.plotSmall : WORDS.plotLarge;
    setText(large, word);
    large.setAttribute('aria-label', WORDS.plotTool({ tool: word, label: plot?.label ?? '' }));
  });
  const save = h('a', 'bc-save', WORDS.plotSave);
  const tools = h('span', 'bc-buttons', large, save);
  const el = h('figure', 'bc-plot', image, label, tools);
  let broken = false;
  let plot: PlotView | undefined;
  const say = (): void => setText(label, broken && plot ? WORDS.plotBroken({ label: plot.label }) : (plot?.label ?? ''));
  image.addEventListener('error', () => {
    broken = image.hidden = tools.hidden = true;
    say();
  });
  return {
    el,
    update(next) {
      plot = next;
      broken = !MEDIA_TYPES.has(next.mediaType) || !BASE64.test(next.data);
      image.hidden = tools.hidden = broken;
      image.alt = next.label;
      if (!broken) {
        image.src = `data:${next.mediaType};base64,${next.data}`;
        save.href = image.src;
        save.download = fileName(next);
        large.setAttribute('aria-label', WORDS.plotTool({ tool: large.textContent ?? '', label: next.label }));
        save.setAttribute('aria-label', WORDS.plotTool({ tool: WORDS.plotSave, label: next.label }));
      }
      say();
    }
  };
}

/** The label as a name that every file system takes. */
function fileName(plot: PlotView): string {
  const name = plot.label.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, NAME_CHARS).replace(/^[-.]+|[-.]+$/g, '');
  const suffix = plot.mediaType === 'image/png' ? '.png' : '.jpg';
  return `${name.replace(/\.(png|jpe?g)$/i, '') || 'plot'}${suffix}`;
}
