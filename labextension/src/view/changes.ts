/** What the run changed in the project: files, checks of the project, rounds of mending. */

import type { ChangedFileView, ChangesView, CheckView, RunView } from '../protocol/generated';
import { CHANGED_FILES, CHECKS, CHECK_STATES, KINDS_OF_RISK, PATCH_KINDS, WORDS, named, spoken } from '../words/catalogue';
import { KeyedList, h, setClass, setGroup, setHidden, setText, setTextOrHide, sign } from './elements';
import type { Part } from './elements';
import { duration } from './figures';
import { foldable } from './section';

export function changes(): Part<RunView> {
  const part = foldable('changes');
  const facts = h('p', 'bc-dim');
  const fileList = h('ul', 'bc-plainlist');
  const more = h('p', 'bc-dim');
  const checkList = h('ul', 'bc-plainlist');
  const files = new KeyedList<ChangedFileView>(fileList, item => item.path, file);
  const checks = new KeyedList<CheckView>(checkList, item => item.name, check);
  const found = h('div', 'bc-found', facts, fileList, more, checkList);
  part.body.append(found);
  return {
    el: part.el,
    update({ changes: value }) {
      const isTroubled = value.checksState === 'failed';
      part.show(value.files.length > 0);
      part.setTitle(WORDS.changes, lineOf(value), isTroubled);
      part.setOpen(isTroubled);
      setTextOrHide(facts, factsOf(value));
      files.update(value.files);
      setTextOrHide(more, value.moreFiles > 0 ? WORDS.more({ count: value.moreFiles }) : '');
      setHidden(checkList, value.checks.length === 0);
      checks.update(value.checks);
    }
  };
}

/** `2 files, +10 −3 · checks passed`. */
function lineOf(value: ChangesView): string {
  const { added, removed } = value;
  const size = WORDS.changedFiles({ count: value.files.length + value.moreFiles, added, removed });
  return [size, CHECKS[value.checksState]].filter(Boolean).join(' · ');
}

function factsOf(value: ChangesView): string {
  const isSkipped = value.checksState === 'skipped';
  const facts = [
    named(PATCH_KINDS, value.kind),
    KINDS_OF_RISK.get(value.riskTier) ?? '',
    mendedOf(value),
    isSkipped ? spoken(value.checksReason) : ''
  ];
  return facts.filter(Boolean).join(' · ');
}

function mendedOf({ fixIteration: count, fixTrigger }: ChangesView): string {
  if (count === 0) {
    return '';
  }
  const mended = fixTrigger === 'checks_failed' ? WORDS.mendedForChecks : WORDS.mendedForReview;
  return mended({ count });
}

function file(): Part<ChangedFileView> {
  const path = h('code');
  path.dir = 'auto';
  const facts = h('span', 'bc-dim');
  const el = h('li', '', path, ' ', facts);
  return {
    el,
    update(item) {
      setText(path, item.path);
      const lines = item.added === undefined ? '' : WORDS.changedLines({ added: item.added, removed: item.removed ?? 0 });
      const by = item.isByCommand ? WORDS.byCommand : '';
      setText(facts, [CHANGED_FILES[item.state], lines, by].filter(Boolean).join(' · '));
    }
  };
}

function check(): Part<CheckView> {
  const mark = sign('bc-mark', '');
  const name = h('b');
  name.dir = 'auto';
  const word = h('span');
  const facts = h('span', 'bc-dim');
  const output = h('pre', 'bc-quoted');
  output.tabIndex = 0;
  const el = h('li', '', mark, name, ' ', word, ' ', facts, output);
  return {
    el,
    update(item) {
      const { tone, sign: glyph, word: state } = CHECK_STATES[item.state];
      setClass(mark, `bc-mark bc-is-${tone}`);
      setText(mark, glyph);
      setText(name, item.name);
      setClass(word, `bc-is-${tone}`);
      setText(word, state);
      setText(facts, `${duration(item.durationMs)} · ${item.command}`);
      setGroup(output, WORDS.checkOutput({ name: item.name }));
      // What a check that passed wrote is rarely worth a reader's time.
      setTextOrHide(output, item.state === 'passed' ? '' : item.output);
    }
  };
}
