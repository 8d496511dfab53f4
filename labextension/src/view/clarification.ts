/** A question that the run stopped for. */

import type { RunView, Said } from '../protocol/generated';
import { KeyedList, h, lineList, setHidden, setText, setTextOrHide } from './elements';
import type { Part } from './elements';
import { section } from './section';
import { WORDS, spoken } from '../words/catalogue';

type Option = readonly [Said, Said];

export function clarification(): Part<RunView> {
  const part = section('ask');
  const question = h('p', 'bc-question');
  question.dir = 'auto';
  const reason = h('p', 'bc-dim');
  reason.dir = 'auto';
  const options = h('ul', 'bc-options');
  const optionList = new KeyedList<Option>(options, (_, index) => String(index), option);
  const missing = lineList('bc-is-warn', WORDS.missingFacts);
  part.body.append(
    h('div', 'bc-asked', question, reason, missing.el, options, h('p', 'bc-dim', WORDS.answerInCell))
  );
  part.setTitle(WORDS.question);
  return {
    el: part.el,
    update(view) {
      const value = view.clarification;
      part.show(value !== undefined);
      if (value) {
        setText(question, spoken(value.question));
        setTextOrHide(reason, spoken(value.reason));
        missing.update(value.missing.map(spoken));
        setHidden(options, value.options.length === 0);
        optionList.update(value.options);
      }
    }
  };
}

function option(): Part<Option> {
  const label = h('b');
  const text = h('span', 'bc-dim');
  const el = h('li', '', label, ' ', text);
  el.dir = 'auto';
  return {
    el,
    update([name, description]) {
      setText(label, spoken(name));
      setTextOrHide(text, spoken(description));
    }
  };
}
