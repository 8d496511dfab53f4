/** What one agent was given, and what existed and was kept from it. */

import type { AgentView, SectionView } from '../protocol/generated';
import { KeyedList, h, setAttribute, setClass, setHidden, setText, setTextOrHide } from './elements';
import type { Part } from './elements';
import { count } from './figures';
import { WITHHELD, WORDS, named, sectionLabel } from '../words/catalogue';

/** A hue per kind of section, the same on every card. */
const KIND_COLORS: Readonly<Record<string, string>> = {
  request: 'bc-c0',
  result: 'bc-c1',
  reference: 'bc-c2',
  support: 'bc-c3',
  handoff: 'bc-c4',
  hook: 'bc-c5',
  private: 'bc-c5',
  answer: 'bc-c1'
};

export function saw(): Part<AgentView> {
  const title = h('h5', 'bc-title');
  const seen = h('ul', 'bc-given');
  const withheldTitle = h('h5', 'bc-title', WORDS.withheld);
  const kept = h('ul', 'bc-withheld');
  kept.setAttribute('aria-label', WORDS.withheld);
  const tools = h('p', 'bc-dim');
  const el = h('div', 'bc-saw', title, seen, tools, withheldTitle, kept);
  const seenList = new KeyedList<SectionView>(seen, keyOf, seenRow);
  const keptList = new KeyedList<SectionView>(kept, keyOf, keptRow);
  return {
    el,
    update(agent) {
      setHidden(el, agent.saw.length === 0 && agent.withheld.length === 0);
      const tokens = agent.saw.reduce((sum, item) => sum + item.tokens, 0);
      const who = agent.kind === 'worker' ? WORDS.thisWorker : WORDS.thisCall;
      setText(title, WORDS.saw({ who, tokens: count(tokens) }));
      setTextOrHide(tools, offered(agent.tools));
      setHidden(withheldTitle, agent.withheld.length === 0);
      setHidden(kept, agent.withheld.length === 0);
      seenList.update(agent.saw);
      keptList.update(agent.withheld);
    }
  };
}

function offered(tools: AgentView['tools']): string {
  const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
  const names = tools.map(tool => tool.name).join(WORDS.comma);
  return names && WORDS.offered({ names, tokens: count(tokens) });
}

function keyOf(item: SectionView): string {
  return `${item.kind}|${item.owner}|${item.source}|${item.label}`;
}

function seenRow(): Part<SectionView> {
  const share = h('i');
  const label = h('span', 'bc-label');
  const figure = h('span', 'bc-num');
  const el = h('li', '', h('span', 'bc-share', share, label), figure);
  return {
    el,
    update(item) {
      setText(label, sectionLabel(item));
      setAttribute(el, 'title', item.source || null);
      setText(figure, count(item.tokens));
      setClass(share, KIND_COLORS[item.kind] ?? 'bc-c6');
      share.style.width = `${Math.min(100, Math.max(0, item.share * 100)).toFixed(1)}%`;
    }
  };
}

function keptRow(): Part<SectionView> {
  const label = h('s', 'bc-label');
  const reason = h('span', 'bc-num');
  const el = h('li', '', label, reason);
  return {
    el,
    update(item) {
      setText(label, sectionLabel(item));
      setAttribute(el, 'title', item.source || null);
      setTextOrHide(reason, named(WITHHELD, item.reason ?? ''));
    }
  };
}
