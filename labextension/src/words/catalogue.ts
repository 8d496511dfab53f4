/**
 * Every word that the front end says, in the language of the page.
 *
 * To add a word, add it to en.ts, zh.ts and fr.ts: `tsc` fails while one of them lacks it. The names
 * exported here follow `speak`; read them where you draw and never keep a copy of them.
 */

import type { AgentView } from '../protocol/generated';
import { EN } from './en';
import { FR } from './fr';
import { AGENT_LOOKS, CHECK_LOOKS, REVIEW_LOOKS, RUN_LOOKS, TODO_LOOKS, TOOL_LOOKS } from './looks';
import type { Language } from './language';
import type { Look, Tone } from './looks';
import { ZH } from './zh';

export type { Tone } from './looks';

/** How a state looks: a colour class, a sign, and always a word. */
export type StateWord = { readonly tone: Tone; readonly sign: string; readonly word: string };

const LANGUAGES: ReadonlyMap<string, Language> = new Map([
  ['en', EN],
  ['fr', FR],
  ['zh', ZH]
]);

export let LOCALE: string;
export let LAB: Language['lab'];
export let WORDS: Language['words'];
export let PHASES: Language['phases'];
export let EFFECTS: Language['effects'];
export let ANSWER_NOTES: Language['answerNotes'];
/** Maps, because the view holds any string here. */
export let INDEPENDENCE: ReadonlyMap<string, string>;
export let SEVERITIES: ReadonlyMap<string, string>;
export let KINDS_OF_RISK: ReadonlyMap<string, string>;
export let CHANGED_FILES: Language['changedFiles'];
export let CHECKS: Language['checks'];
export let MATRIX_CELLS: Language['matrixCells'];
export let RUN_STATES: States<typeof RUN_LOOKS>;
export let AGENT_STATES: States<typeof AGENT_LOOKS>;
export let TOOL_STATES: States<typeof TOOL_LOOKS>;
export let TODO_STATES: States<typeof TODO_LOOKS>;
export let REVIEW_STATES: States<typeof REVIEW_LOOKS>;
export let CHECK_STATES: States<typeof CHECK_LOOKS>;

type States<Looks> = Readonly<Record<keyof Looks, StateWord>>;

/**
 * Say everything in the language of a code such as `fr`, `zh-CN` or `zh_CN` from now on; one that
 * we don't know is said in English. What is drawn already keeps its words. A plugin gives the
 * language of JupyterLab's translator; without one, the page tells.
 */
export function speak(code: string = pageLanguage()): void {
  const language = code.toLowerCase().split(/[-_]/)[0] ?? '';
  const catalogue = LANGUAGES.get(language) ?? EN;
  LOCALE = catalogue.locale;
  LAB = catalogue.lab;
  WORDS = catalogue.words;
  PHASES = catalogue.phases;
  EFFECTS = catalogue.effects;
  ANSWER_NOTES = catalogue.answerNotes;
  INDEPENDENCE = new Map(Object.entries(catalogue.independence));
  MATRIX_CELLS = catalogue.matrixCells;
  SEVERITIES = new Map(Object.entries(catalogue.severities));
  KINDS_OF_RISK = new Map(Object.entries(catalogue.kindsOfRisk));
  CHANGED_FILES = catalogue.changedFiles;
  CHECKS = catalogue.checks;
  RUN_STATES = states(RUN_LOOKS, catalogue.runStates);
  AGENT_STATES = states(AGENT_LOOKS, catalogue.agentStates);
  TOOL_STATES = states(TOOL_LOOKS, catalogue.toolStates);
  TODO_STATES = states(TODO_LOOKS, catalogue.todoStates);
  REVIEW_STATES = states(REVIEW_LOOKS, catalogue.reviewStates);
  CHECK_STATES = states(CHECK_LOOKS, catalogue.checkStates);
}

/** The language of the page, which JupyterLab's translator writes there, or of the browser. */
function pageLanguage(): string {
  return document.documentElement.lang || navigator.language || 'en';
}

speak('en');

function states<State extends string>(
  looks: Readonly<Record<State, Look>>,
  words: Readonly<Record<State, string>>
): Readonly<Record<State, StateWord>> {
  const known = Object.keys(looks) as State[];
  const entries = known.map(state => {
    const [tone, sign] = looks[state];
    return [state, { tone, sign, word: words[state] }] as const;
  });
  return Object.fromEntries(entries) as Record<State, StateWord>;
}

/** `analyst`, `router`, `primary: librarian`: a role may also write the answer. */
export function agentName(agent: AgentView): string {
  const isPlain = agent.kind === 'worker' || agent.role === agent.kind || !agent.role;
  return isPlain ? agent.role || agent.kind : `${agent.kind}${WORDS.colon}${agent.role}`;
}

/** `3 completed`, `1 failed`, in the order of their first. */
export function stateCounts(words: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const word of words) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, number]) => WORDS.stateCount(number, word));
}
