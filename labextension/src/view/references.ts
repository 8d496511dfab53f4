/** What was sent of each reference, and what is missing. */

import type { ReferenceView, RunView } from '../protocol/generated';
import { KeyedList, h, setClass, setHidden, setText, setTextOrHide, sign } from './elements';
import type { Part } from './elements';
import { WORDS, because, spoken } from '../words/catalogue';

export function references(): Part<RunView> {
  const el = h('ul', 'bc-refs');
  el.setAttribute('aria-label', WORDS.references);
  const list = new KeyedList<ReferenceView>(el, item => item.token, reference);
  return {
    el,
    update(view) {
      setHidden(el, view.references.length === 0);
      list.update(view.references);
    }
  };
}

function reference(): Part<ReferenceView> {
  const mark = sign('', '⚠ ');
  const token = h('code');
  const text = h('span');
  const el = h('li', '', mark, token, ' ', text);
  return {
    el,
    update(item) {
      setClass(el, `bc-ref-${item.state}`);
      setTextOrHide(mark, item.state === 'missing' ? '⚠ ' : '');
      setText(token, item.token);
      setText(text, referenceText(item));
    }
  };
}

function referenceText(item: ReferenceView): string {
  if (item.state === 'missing') {
    return because(WORDS.missing, item.reason);
  }
  const label = spoken(item.label);
  return item.state === 'cut' ? `${label} (${because(WORDS.cut, item.reason)})` : label;
}
