/** Every word that the card says, in one place. */

import type {
  AgentView,
  AnswerView,
  ApprovalView,
  ReviewView,
  RunView,
  TodoView,
  ToolCallView
} from '../protocol/generated';

/** How a state looks: a colour class, a sign, and always a word. */
export type StateWord = { readonly tone: Tone; readonly sign: string; readonly word: string };
export type Tone = 'run' | 'wait' | 'ok' | 'warn' | 'bad' | 'idle';

export const RUN_STATES: Readonly<Record<RunView['state'], StateWord>> = {
  queued: { tone: 'idle', sign: '○', word: 'queued' },
  running: { tone: 'run', sign: '◐', word: 'running' },
  completed: { tone: 'ok', sign: '✓', word: 'completed' },
  needs_clarification: { tone: 'warn', sign: '?', word: 'needs your answer' },
  failed: { tone: 'bad', sign: '✕', word: 'failed' },
  cancelled: { tone: 'warn', sign: '⊘', word: 'cancelled' },
  interrupted: { tone: 'warn', sign: '‖', word: 'interrupted' }
};

export const PHASES: Readonly<Record<RunView['phase'], string>> = {
  starting: 'starting',
  routing: 'planning',
  working: 'workers at work',
  answering: 'writing the answer',
  reviewing: 'reviewing',
  done: ''
};

export const AGENT_STATES: Readonly<Record<AgentView['state'], StateWord>> = {
  queued: { tone: 'idle', sign: '○', word: 'queued' },
  waiting: { tone: 'wait', sign: '◔', word: 'waiting' },
  running: { tone: 'run', sign: '◐', word: 'running' },
  waiting_for_approval: { tone: 'warn', sign: '?', word: 'waiting for approval' },
  completed: { tone: 'ok', sign: '✓', word: 'completed' },
  unstructured: { tone: 'warn', sign: '≈', word: 'unstructured' },
  blocked: { tone: 'bad', sign: '▲', word: 'blocked' },
  failed: { tone: 'bad', sign: '✕', word: 'failed' },
  cancelled: { tone: 'warn', sign: '⊘', word: 'cancelled' },
  cut_off: { tone: 'warn', sign: '┄', word: 'cut off' },
  interrupted: { tone: 'warn', sign: '‖', word: 'interrupted' }
};

export const TOOL_STATES: Readonly<Record<ToolCallView['state'], StateWord>> = {
  running: { tone: 'run', sign: '◐', word: 'running' },
  done: { tone: 'ok', sign: '✓', word: 'done' },
  failed: { tone: 'bad', sign: '✕', word: 'failed' },
  denied: { tone: 'warn', sign: '⊘', word: 'denied' },
  outcome_unknown: { tone: 'warn', sign: '?', word: 'outcome unknown' }
};

/** What a call could do, as the end of "wants to". */
export const EFFECTS: Readonly<Record<ApprovalView['effect'], string>> = {
  read: 'read',
  write: 'change files',
  execute: 'run code'
};

export const TODO_STATES: Readonly<Record<TodoView['state'], StateWord>> = {
  pending: { tone: 'idle', sign: '○', word: 'pending' },
  running: { tone: 'run', sign: '◐', word: 'running' },
  completed: { tone: 'ok', sign: '✓', word: 'completed' },
  blocked: { tone: 'bad', sign: '▲', word: 'blocked' },
  failed: { tone: 'bad', sign: '✕', word: 'failed' }
};

export const REVIEW_STATES: Readonly<Record<ReviewView['state'], StateWord>> = {
  not_required: { tone: 'idle', sign: '–', word: 'not required' },
  pending: { tone: 'idle', sign: '○', word: 'not reviewed yet' },
  running: { tone: 'run', sign: '◐', word: 'reviewing' },
  approved: { tone: 'ok', sign: '✓', word: 'approved' },
  changes_requested: { tone: 'warn', sign: '▲', word: 'changes requested' },
  blocked: { tone: 'bad', sign: '✕', word: 'blocked' },
  not_reviewed: { tone: 'warn', sign: '–', word: 'not reviewed' }
};

export const ANSWER_NOTES: Readonly<Record<AnswerView['state'], string>> = {
  none: '',
  streaming: '',
  completed: '',
  cut_off: '┄ cut off: the model stopped before its end',
  partial: '┄ partial: it was not written to its end'
};

/** How far the reviewer's model is from the one that answered. */
export const INDEPENDENCE: Readonly<Record<string, string>> = {
  none: 'reviewer unknown',
  weak: 'by the model that wrote the answer',
  moderate: 'by another model of the same provider',
  strong: 'by a model of another provider'
};

/** `analyst`, `router`, `primary: librarian`: a role may also write the answer. */
export function agentName(agent: AgentView): string {
  const isPlain = agent.kind === 'worker' || agent.role === agent.kind || !agent.role;
  return isPlain ? agent.role || agent.kind : `${agent.kind}: ${agent.role}`;
}

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
  tokens: (text: string) => `${text} tokens`,
  tokensOf: (text: string, limit: string) => `${text} of ${limit} tokens`,
  atLeast: (text: string) => `≥ ${text}`,
  usageUnknown: 'usage unknown',
  costUnknown: 'cost unknown',
  costUnknownWhy: 'The price of at least one model call is not known.',
  unmeasured: (calls: number) => `${plural(calls, 'call')} did not report usage.`,
  elapsed: 'elapsed',
  references: 'References',
  missing: 'missing',
  cut: 'cut',
  question: 'Needs your answer',
  asks: (role: string, effect: string) => `${role} wants to ${effect}`,
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
    count === 1
      ? '1 character cannot be seen; it is shown as a mark.'
      : `${count} characters cannot be seen; they are shown as marks.`,
  askedBecause: (reason: string) => `Asked because: ${reason}`,
  modelSays: (text: string) => `The model says: ${text}`,
  deniedIn: (time: string) => `denied by itself in ${time}`,
  deniedNow: 'time is up: denied',
  answerSent: (decision: string) => `${decision}: sent`,
  answerElsewhere: 'Answer at the input prompt below the cell; this page cannot reach the kernel now.',
  missingFacts: 'Missing',
  answerInCell: 'Answer in a new cell: start it with %%braincode --continue.',
  answer: 'Answer',
  beingWritten: 'being written',
  answerCut: (shown: string, whole: string) =>
    `Showing the last ${shown} of ${whole}. The whole text is in run.answer.`,
  answerLong: (shown: string, whole: string) =>
    `Showing the first ${shown} of ${whole}. The whole text is in run.answer.`,
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
  noTime: '–',
  workers: 'Workers',
  otherCalls: 'Other calls',
  waitingFor: (what: string) => `waiting for ${what}`,
  risk: 'Risk: ',
  open: 'Open: ',
  artifacts: 'Artifacts',
  tools: 'Tool calls',
  charsBack: (text: string) => `${text} characters back`,
  plotBroken: (label: string) => `plot: ${label} (cannot be drawn)`,
  attempts: 'Failed attempts',
  attempt: (number: number, model: string, code: string, message: string) =>
    `${number}. ${model}: ${code.replaceAll('_', ' ')}${message ? ` · ${message}` : ''}`,
  partial: 'Text before it broke off',
  live: 'Reply so far',
  saw: (who: string, tokens: string) => `What ${who} saw · ${tokens} tokens`,
  thisWorker: 'this worker',
  thisCall: 'this call',
  withheld: 'Withheld',
  nothingYet: 'Nothing yet.',
  matrix: 'Who saw what',
  matrixSize: (rows: number, columns: number) => `${plural(rows, 'call')} × ${plural(columns, 'section')}`,
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
  copyCode: 'Copy',
  insertBelow: 'Insert below',
  notSaved: 'This run could not be written to disk.',
  more: (rest: number) => `… ${rest} more`,
  tooDeep: '…',
  drawFailed: 'The card could not be drawn; this is its text.',
  notARun: 'This output is not a run that this version can draw.'
} as const;

/** `3 completed`, `1 failed`, in the order of their first. */
export function stateCounts(words: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const word of words) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, number]) => `${number} ${word}`);
}

/** `1 call`, `2 calls`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export const MATRIX_CELLS = {
  seen: { sign: '●', word: 'saw it' },
  own: { sign: 'own', word: 'its own' },
  withheld: { sign: '·', word: 'did not see it' },
  not_called: { sign: '', word: 'not called' }
} as const;
