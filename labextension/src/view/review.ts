/** The review: decision and findings, or why there is none. */

import type { FindingView, RunView } from '../protocol/generated';
import { KeyedList, h, lineList, setClass, setHidden, setText, setTextOrHide, sign } from './elements';
import type { Part } from './elements';
import { isGoing } from './header';
import { section } from './section';
import { INDEPENDENCE, REVIEW_STATES, SEVERITIES, WORDS, spoken } from '../words/catalogue';

export function review(): Part<RunView> {
  const part = section('review');
  const mark = sign('bc-mark', '');
  const word = h('b');
  const about = h('span', 'bc-dim');
  const decision = h('p', 'bc-decision', mark, word, ' ', about);
  const rationale = h('p');
  rationale.dir = 'auto';
  const findings = h('ul', 'bc-findings');
  const list = new KeyedList<FindingView>(findings, (_, index) => String(index), finding);
  const changes = lineList('', WORDS.requiredChange);
  const blocking = lineList('bc-is-bad', WORDS.blocking);
  const residual = lineList('bc-dim', WORDS.residual);
  part.body.append(decision, rationale, findings, blocking.el, changes.el, residual.el);
  part.setTitle(WORDS.review);
  return {
    el: part.el,
    update(view) {
      const value = view.review;
      part.show(isShown(view));
      const { tone, sign: glyph, word: name } = REVIEW_STATES[value.state];
      const isDecided = tone === 'ok' || tone === 'bad' || value.state === 'changes_requested';
      setClass(decision, `bc-decision bc-is-${isDecided ? tone : 'dim'}`);
      setText(mark, glyph);
      setText(word, name);
      setTextOrHide(about, spoken(value.reason) || INDEPENDENCE.get(value.independence));
      part.el.classList.toggle('bc-oneline', !value.rationale && value.findings.length === 0);
      setTextOrHide(rationale, value.rationale);
      setHidden(findings, value.findings.length === 0);
      list.update(value.findings);
      changes.update(value.requiredChanges.map(spoken));
      blocking.update(value.blockingIssues);
      residual.update(value.residualRisks.map(spoken));
    }
  };
}

/** "Not required" says something only once there is an answer that could have been reviewed. */
function isShown(view: RunView): boolean {
  if (view.clarification) {
    return false;
  }
  if (view.review.state === 'not_required') {
    return !isGoing(view) && view.answer.state !== 'none';
  }
  return view.review.state !== 'pending' || !isGoing(view) || view.answer.state !== 'none';
}

const SEVERITY_TONES: Readonly<Record<string, string>> = { high: 'bad', medium: 'warn' };

function findingText({ text, place, evidence, suggestion }: FindingView): string {
  const lines = [
    spoken(text),
    place && WORDS.where({ place }),
    evidence && WORDS.evidence({ text: evidence }),
    suggestion && WORDS.suggestion({ text: suggestion })
  ];
  return lines.filter(Boolean).join(' · ');
}

function finding(): Part<FindingView> {
  const severity = h('b');
  const text = h('span');
  text.dir = 'auto';
  const el = h('li', '', severity, WORDS.colon, text);
  return {
    el,
    update(item) {
      setClass(severity, `bc-is-${SEVERITY_TONES[item.severity] ?? 'dim'}`);
      setText(severity, SEVERITIES.get(item.severity) ?? item.severity);
      setText(text, findingText(item));
    }
  };
}
