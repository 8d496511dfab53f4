/**
 * Every word that the front end says, in the language of the page.
 *
 * The words are data that Python reads too: `braincode_jupyter/views/catalogue/*.json`. After a
 * change of en.json run `python labextension/scripts/generate_types.py`; a contract test fails while
 * a language lacks a word. The names exported here follow `speak`; read them where you draw and
 * never keep a copy of them.
 */

import EN from '../../../braincode_jupyter/views/catalogue/en.json';
import type { AgentView, MatrixColumn, Said, SectionView } from '../protocol/generated';
import { filled, hasPlaces } from './forms';
import type { Form, Values } from './forms';
import type { Catalogue } from './generated';
import { AGENT_LOOKS, CHECK_LOOKS, REVIEW_LOOKS, RUN_LOOKS, TODO_LOOKS, TOOL_LOOKS } from './looks';
import type { Look, Tone } from './looks';

export type { Tone } from './looks';

/** How a state looks: a colour class, a sign, and always a word. */
export type StateWord = { readonly tone: Tone; readonly sign: string; readonly word: string };

export type Groups = Readonly<Record<string, Readonly<Record<string, Form>>>>;

/** Finds a text by its key. */
export type Find = (key: string) => Form | undefined;
type Language = { readonly locale: string; readonly groups: Groups; readonly find: Find };

/** Knows no text. */
const NONE: Find = () => undefined;
/** English is in every bundle; the widget brings the other languages, JupyterLab's translator ours. */
export const ENGLISH: Groups = EN;
const LANGUAGES = new Map<string, Language>([['en', { locale: 'en', groups: ENGLISH, find: NONE }]]);

/**
 * Know one more language; its locale says how numbers are written. `find` has the texts that stand
 * in records, of which no bundle has the English.
 */
export function learn(language: string, groups: Groups, find: Find = NONE): void {
  LANGUAGES.set(language, { locale: language === 'zh' ? 'zh-CN' : language, groups, find });
}

export function knows(language: string): boolean {
  return LANGUAGES.has(language);
}

/** `fr` of `fr-FR`, `fr_FR` or `fr`. */
export function languageOf(code: string): string {
  return code.toLowerCase().split(/[-_]/)[0] ?? '';
}

export let LOCALE: string;
export let LAB: Catalogue['lab'];
export let WORDS: Catalogue['words'];
export let PHASES: Catalogue['phases'];
export let EFFECTS: Catalogue['effects'];
export let ANSWER_NOTES: Catalogue['answerNotes'];
/** Maps, because the view holds any string here. */
export let INDEPENDENCE: ReadonlyMap<string, string>;
export let SEVERITIES: ReadonlyMap<string, string>;
export let KINDS_OF_RISK: ReadonlyMap<string, string>;
export let CHANGED_FILES: Catalogue['changedFiles'];
export let CHECKS: Catalogue['checks'];
export let MATRIX_CELLS: Catalogue['matrixCells'];
export let MATRIX_SIGNS: Catalogue['matrixSigns'];
export let CODES: ReadonlyMap<string, string>;
export let PATCH_KINDS: ReadonlyMap<string, string>;
export let WITHHELD: ReadonlyMap<string, string>;
export let RUN_STATES: States<typeof RUN_LOOKS>;
export let AGENT_STATES: States<typeof AGENT_LOOKS>;
export let TOOL_STATES: States<typeof TOOL_LOOKS>;
export let TODO_STATES: States<typeof TODO_LOOKS>;
export let REVIEW_STATES: States<typeof REVIEW_LOOKS>;
export let CHECK_STATES: States<typeof CHECK_LOOKS>;

let findForm: Find;
export let SECTIONS: ReadonlyMap<string, string>;
let OWNED: ReadonlyMap<string, (values: { owner: string }) => string>;

type States<Looks> = Readonly<Record<keyof Looks, StateWord>>;

/**
 * Say everything in the language of a code such as `fr`, `zh-CN` or `zh_CN` from now on; one that
 * we don't know is said in English. What is drawn already keeps its words. A plugin gives the
 * language of JupyterLab's translator; without one, the page tells.
 */
export function speak(code: string = pageLanguage()): void {
  const known = LANGUAGES.get(languageOf(code));
  const { locale, groups, find } = known ?? { locale: 'en', groups: ENGLISH, find: NONE };
  const said = catalogueOf(groups, locale);
  LOCALE = locale;
  const forms = formsOf(groups);
  findForm = key => forms.get(key) ?? find(key);
  SECTIONS = new Map(Object.entries(said.sections));
  OWNED = new Map(Object.entries(said.ownedSections));
  LAB = said.lab;
  WORDS = said.words;
  PHASES = said.phases;
  EFFECTS = said.effects;
  ANSWER_NOTES = said.answerNotes;
  INDEPENDENCE = new Map(Object.entries(said.independence));
  MATRIX_CELLS = said.matrixCells;
  MATRIX_SIGNS = said.matrixSigns;
  SEVERITIES = new Map(Object.entries(said.severities));
  KINDS_OF_RISK = new Map(Object.entries(said.kindsOfRisk));
  CODES = new Map(Object.entries(said.codes));
  PATCH_KINDS = new Map(Object.entries(said.patchKinds));
  WITHHELD = new Map(Object.entries(said.withheld));
  CHANGED_FILES = said.changedFiles;
  CHECKS = said.checks;
  RUN_STATES = states(RUN_LOOKS, said.runStates);
  AGENT_STATES = states(AGENT_LOOKS, said.agentStates);
  TOOL_STATES = states(TOOL_LOOKS, said.toolStates);
  TODO_STATES = states(TODO_LOOKS, said.todoStates);
  REVIEW_STATES = states(REVIEW_LOOKS, said.reviewStates);
  CHECK_STATES = states(CHECK_LOOKS, said.checkStates);
}

/** The language of the page, which JupyterLab's translator writes there, or of the browser. */
function pageLanguage(): string {
  return document.documentElement.lang || navigator.language || 'en';
}

/** All texts by their key: `reasons.timeout`. */
function formsOf(groups: Groups): ReadonlyMap<string, Form> {
  const all = Object.entries(groups).map(([group, forms]) =>
    Object.entries(forms).map(([name, form]) => [`${group}.${name}`, form] as const)
  );
  return new Map(all.flat());
}

/** A text with places is a function of their values; the types are generated by the same rule. */
function catalogueOf(groups: Groups, locale: string): Catalogue {
  const said = (form: Form): unknown =>
    hasPlaces(form) ? (values: Values) => filled(form, values, locale) : form;
  const group = (forms: Readonly<Record<string, Form>>): unknown =>
    Object.fromEntries(Object.entries(forms).map(([key, form]) => [key, said(form)]));
  const all = Object.entries(groups).map(([name, forms]) => [name, group(forms)] as const);
  return Object.fromEntries(all) as unknown as Catalogue;
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

/** A sentence of ours in the language of the page; a text from outside as it came. */
export function spoken(said: Said | undefined): string {
  if (said === undefined || typeof said === 'string') {
    return said ?? '';
  }
  const form = findForm(said.key);
  const values = Object.entries(said.values).map(
    ([place, value]) => [place, typeof value === 'number' ? value : spoken(value)] as const
  );
  // A later version may know texts that this one does not.
  return form === undefined ? said.english || said.key : filled(form, Object.fromEntries(values), LOCALE);
}

/** `missing`, or `missing: why`. */
export function because(word: string, why: Said | undefined): string {
  const reason = spoken(why);
  return reason ? WORDS.because({ word, reason }) : word;
}

/** `@var:sales`, `your request`, `analyst result`: what a section is called. */
export function sectionLabel({ kind, label, ownerLabel }: SectionView | MatrixColumn): string {
  return label || (OWNED.get(kind)?.({ owner: ownerLabel }) ?? SECTIONS.get(kind) ?? kind);
}

/** The word for one of a set of names that may hold any string. */
export function named(words: ReadonlyMap<string, string>, name: string): string {
  return words.get(name.replace(/[- ]/g, '_')) ?? name;
}

/** `3 completed`, `1 failed`, in the order of their first. */
export function stateCounts(words: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const word of words) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => WORDS.stateCount({ count, word }));
}
