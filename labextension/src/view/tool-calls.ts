/** The tool calls of one agent: what it did, how that ended, who let it. */

import type { ToolCallView } from '../protocol/generated';
import { KeyedList, h, setClass, setHidden, setText, setTextOrHide, sign } from './elements';
import type { Part } from './elements';
import { count } from './figures';
import { TOOL_STATES, WORDS, spoken } from '../words/catalogue';

export function toolCalls(): Part<readonly ToolCallView[]> {
  const list = h('ul', 'bc-plainlist');
  const el = h('div', 'bc-tool-calls', h('h5', 'bc-title', WORDS.tools), list);
  const items = new KeyedList<ToolCallView>(list, call => call.callId, toolCall);
  return {
    el,
    update(value) {
      setHidden(el, value.length === 0);
      items.update(value);
    }
  };
}

function toolCall(): Part<ToolCallView> {
  const mark = sign('bc-mark', '');
  const action = h('code');
  action.dir = 'auto';
  const word = h('span');
  const facts = h('span', 'bc-dim');
  const el = h('li', '', mark, action, ' ', word, facts);
  return {
    el,
    update(call) {
      const { tone, sign: glyph, word: state } = TOOL_STATES[call.state];
      setClass(mark, `bc-mark bc-is-${tone}`);
      setText(mark, glyph);
      setText(action, call.action || call.name);
      setClass(word, `bc-is-${tone}`);
      setText(word, state);
      setTextOrHide(facts, factsOf(call));
    }
  };
}

function factsOf(call: ToolCallView): string {
  const chars = call.chars === undefined ? '' : WORDS.charsBack({ text: count(call.chars) });
  const decided = [call.approver, call.reason, call.isolation].map(spoken);
  const facts = [call.progress, chars, ...decided].filter(Boolean);
  return facts.length ? ` · ${facts.join(' · ')}` : '';
}
