/**
 * English: the words that the card, its widget and the panels say.
 *
 * The other languages have to say every one of them; see language.ts. Words of Python that the card
 * shows as they come, such as a reason or a warning, are English in every language.
 */

import { plural } from './forms';
import { LAB } from './lab-en';

const one = plural('en');

export const RUN_STATES = {
  queued: 'queued',
  running: 'running',
  completed: 'completed',
  needs_clarification: 'needs your answer',
  failed: 'failed',
  cancelled: 'cancelled',
  interrupted: 'interrupted'
};

/** What is being done while a run is running. */
export const PHASES = {
  starting: 'starting',
  routing: 'planning',
  working: 'workers at work',
  answering: 'writing the answer',
  checking: 'checking the changes',
  reviewing: 'reviewing',
  done: ''
};

export const AGENT_STATES = {
  queued: 'queued',
  waiting: 'waiting',
  running: 'running',
  waiting_for_approval: 'waiting for approval',
  completed: 'completed',
  unstructured: 'unstructured',
  blocked: 'blocked',
  failed: 'failed',
  cancelled: 'cancelled',
  cut_off: 'cut off',
  interrupted: 'interrupted'
};

export const TOOL_STATES = {
  running: 'running',
  done: 'done',
  failed: 'failed',
  denied: 'denied',
  outcome_unknown: 'outcome unknown'
};

export const TODO_STATES = {
  pending: 'pending',
  running: 'running',
  completed: 'done',
  blocked: 'blocked',
  failed: 'failed'
};

export const REVIEW_STATES = {
  not_required: 'not required',
  pending: 'not reviewed yet',
  running: 'reviewing',
  approved: 'approved',
  changes_requested: 'changes requested',
  blocked: 'blocked',
  not_reviewed: 'not reviewed'
};

/** What became of a changed file. */
export const CHANGED_FILES = {
  new: 'new',
  changed: 'changed',
  removed: 'removed'
};

/** What the checks of the project say together. */
export const CHECKS = {
  none: '',
  running: 'checks running',
  passed: 'checks passed',
  failed: 'checks failed',
  skipped: 'not checked'
};

export const CHECK_STATES = {
  passed: 'passed',
  failed: 'failed',
  timed_out: 'took too long'
};

export const KINDS_OF_RISK = {
  low: 'low risk',
  medium: 'medium risk',
  high: 'high risk',
  critical: 'critical risk'
};

/** What a call could do, as the end of "wants to". */
export const EFFECTS = {
  read: 'read',
  write: 'change files',
  execute: 'run code'
};

export const ANSWER_NOTES = {
  none: '',
  streaming: '',
  completed: '',
  cut_off: '┄ cut off: the model stopped before its end',
  partial: '┄ partial: it was not written to its end'
};

/** How far the reviewer's model is from the one that answered. */
export const INDEPENDENCE = {
  none: 'reviewer unknown',
  weak: 'by the model that wrote the answer',
  moderate: 'by another model of the same provider',
  strong: 'by a model of another provider'
};

export const MATRIX_CELLS = {
  seen: { sign: '●', word: 'saw it' },
  own: { sign: 'own', word: 'its own' },
  withheld: { sign: '·', word: 'did not see it' },
  not_called: { sign: '', word: 'not called' }
};

/** How much a finding of the review matters. */
export const SEVERITIES = {
  high: 'high',
  medium: 'medium',
  low: 'low'
};

export const WORDS = {
  card: 'Brain run',
  untitled: 'Brain run',
  stop: 'Stop',
  stopping: 'stopping',
  stopAsked: 'Stopping…',
  stopHint: 'Stops the run; what was produced is kept.',
  stopByInterrupt: 'The kernel does not answer while this cell runs. Stop with the interrupt button (■).',
  notConnected: 'No connection to the kernel: this card shows the last known state.',
  notLive: 'Recorded while the run was going on; it did not go on from here.',
  comma: ', ',
  colon: ': ',
  seconds: (text: string) => `${text} s`,
  thousands: (text: string) => `${text}k`,
  millions: (text: string) => `${text}M`,
  stateCount: (count: number, word: string) => `${count} ${word}`,
  tokens: (text: string) => `${text} tokens`,
  tokensOf: (text: string, limit: string) => `${text} of ${limit} tokens`,
  atLeast: (text: string) => `≥ ${text}`,
  usageUnknown: 'usage unknown',
  costUnknown: 'cost unknown',
  costUnknownWhy: 'The price of at least one model call is not known.',
  unmeasured: (calls: number) => `${one(calls, 'call', 'calls')} did not report usage.`,
  elapsed: 'elapsed',
  references: 'References',
  missing: 'missing',
  cut: 'cut',
  question: 'Needs your answer',
  asks: (role: string, effect: string) => `${role} wants to ${effect}`,
  /** After the name of the role, which stands there in bold. */
  wantsTo: (effect: string) => ` wants to ${effect}: `,
  plots: 'Plots',
  asksAloud: (role: string, effect: string, action: string) =>
    `Needs your answer: ${role} wants to ${effect}: ${action}`,
  exactText: 'Exactly what would be done',
  approve: 'Approve',
  deny: 'Deny',
  approveSame: 'Same again in this run',
  approveSameHint: 'Approves this call, and the very same one again in this run.',
  showAll: 'Show all',
  showAllFirst: 'Approving needs “Show all” first.',
  hiddenChars: (count: number) =>
    one(
      count,
      'character cannot be seen; it is shown as a mark.',
      'characters cannot be seen; they are shown as marks.'
    ),
  askedBecause: (reason: string) => `Asked because: ${reason}`,
  modelSaid: 'In the model\'s own words, unchecked',
  grants: 'Allowed for this run',
  grantUses: (count: number) => `ran ${one(count, 'more time', 'more times')}`,
  revoke: 'Revoke',
  revokeOf: (action: string) => `Revoke: ${action}`,
  revokeHint: 'The next such call asks again.',
  deniedIn: (time: string) => `denied by itself in ${time}`,
  deniedNow: 'time is up: denied',
  answerSent: (decision: string) => `${decision}: sent`,
  answerElsewhere: 'Answer at the input prompt below the cell; this page cannot reach the kernel now.',
  missingFacts: 'Missing: ',
  answerInCell: 'Answer in a new cell: start it with %%braincode --continue.',
  answer: 'Answer',
  beingWritten: 'being written',
  answerCut: (shown: string, whole: string) =>
    `Showing the last ${shown} of ${whole}. The whole text is in run.answer.`,
  answerLong: (shown: string, whole: string) =>
    `Showing the first ${shown} of ${whole}. The whole text is in run.answer.`,
  changes: 'Changes',
  changedFiles: (files: number, added: number, removed: number) =>
    `${one(files, 'file', 'files')}, +${added} −${removed}`,
  byCommand: 'by a command',
  mended: (times: number, isForChecks: boolean) =>
    `mended ${times === 1 ? 'once' : times === 2 ? 'twice' : `${times} times`}, because ${
      isForChecks ? 'checks failed' : 'the review asked for changes'
    }`,
  checkOutput: (name: string) => `Output of ${name}`,
  review: 'Review',
  because: (word: string, reason: string) => (reason ? `${word}: ${reason}` : word),
  requiredChange: 'Must change: ',
  blocking: 'Blocks: ',
  residual: 'Residual risk: ',
  plan: 'Plan',
  done: (done: number, all: number) => `${done} of ${all}`,
  needs: (numbers: string) => `needs ${numbers}`,
  troubled: (word: string, title: string) => `${word}: ${title}`,
  time: 'Time',
  critical: (names: string) => `critical path: ${names}`,
  barOf: (name: string, state: string, time: string) => `${name}: ${state}${time ? `, ${time}` : ''}`,
  workers: 'Workers',
  otherCalls: 'Other calls',
  waitingFor: (what: string) => `waiting for ${what}`,
  risk: 'Risk: ',
  open: 'Open: ',
  artifacts: 'Artifacts: ',
  tools: 'Tool calls',
  charsBack: (text: string) => `${text} characters back`,
  plotLarge: 'Full size',
  plotSmall: 'Fit',
  plotSave: 'Save',
  plotTool: (tool: string, label: string) => `${tool}: ${label}`,
  plotBroken: (label: string) => `plot: ${label} (cannot be drawn)`,
  attempts: 'Failed attempts',
  attempt: (number: number, model: string, code: string, message: string) =>
    `${number}. ${model}: ${code.replaceAll('_', ' ')}${message ? ` · ${message}` : ''}`,
  retry: 'Run again',
  retryOf: (role: string) => `Run again: ${role}`,
  retryHint: 'Asks this worker anew, with the same task; what the others found is kept.',
  retryAsked: 'asked to run again',
  retryWith: 'To run it again: ',
  retryLine: (target: string) => `%braincode retry ${target}`,
  keptResult: 'kept from the run before',
  retryLater: 'It can be run again once this run has ended.',
  retried: (times: number) => `run again, try ${times + 1}`,
  partial: 'Text before it broke off',
  live: 'Reply so far',
  saw: (who: string, tokens: string) => `What ${who} saw · ${tokens} tokens`,
  offered: (names: string, tokens: string) => `Tools: ${names} · ${tokens} tokens`,
  thisWorker: 'this worker',
  thisCall: 'this call',
  withheld: 'Withheld',
  matrix: 'Who saw what',
  matrixSize: (rows: number, columns: number) =>
    `${one(rows, 'call', 'calls')} × ${one(columns, 'section', 'sections')}`,
  legend: '● saw it, own: its own text, · did not see it, empty: not called',
  beingPlanned: 'being planned',
  noWorker: 'none: one agent answered alone',
  noneRan: 'none ran',
  warnings: 'Warnings',
  request: 'Request as typed',
  model: 'Model',
  brain: 'Brain',
  session: 'session',
  copy: 'copy',
  copied: 'copied',
  copyFailed: 'select and copy',
  copySession: (id: string) => `Copy ${id}`,
  code: 'Code',
  copyCode: 'Copy',
  insertBelow: 'Insert below',
  notSaved: 'This run could not be written to disk.',
  more: (rest: number) => `… ${rest} more`,
  drawFailed: 'The card could not be drawn; this is its text.',
  notARun: 'This output is not a run that this version can draw.',
  palette: 'Braincode',
  insertRun: 'Insert a Brain Cell Below',
  insertRunHint: 'Insert a cell that asks several agents'
};

export const EN = {
  locale: 'en',
  runStates: RUN_STATES,
  phases: PHASES,
  agentStates: AGENT_STATES,
  toolStates: TOOL_STATES,
  todoStates: TODO_STATES,
  reviewStates: REVIEW_STATES,
  changedFiles: CHANGED_FILES,
  checks: CHECKS,
  checkStates: CHECK_STATES,
  kindsOfRisk: KINDS_OF_RISK,
  effects: EFFECTS,
  answerNotes: ANSWER_NOTES,
  independence: INDEPENDENCE,
  matrixCells: MATRIX_CELLS,
  severities: SEVERITIES,
  words: WORDS,
  lab: LAB
};
