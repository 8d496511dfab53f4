/** How each state looks in every language: a tone, which is a colour, and a sign. */

import type { AgentView, CheckView, ReviewView, RunView, TodoView, ToolCallView } from '../protocol/generated';

export type Tone = 'run' | 'wait' | 'ok' | 'warn' | 'bad' | 'idle';
export type Look = readonly [tone: Tone, sign: string];

export const RUN_LOOKS: Readonly<Record<RunView['state'], Look>> = {
  queued: ['idle', '○'],
  running: ['run', '◐'],
  completed: ['ok', '✓'],
  needs_clarification: ['warn', '?'],
  failed: ['bad', '✕'],
  cancelled: ['warn', '⊘'],
  interrupted: ['warn', '‖']
};

export const AGENT_LOOKS: Readonly<Record<AgentView['state'], Look>> = {
  queued: ['idle', '○'],
  waiting: ['wait', '◔'],
  running: ['run', '◐'],
  waiting_for_approval: ['warn', '?'],
  completed: ['ok', '✓'],
  unstructured: ['warn', '≈'],
  blocked: ['bad', '▲'],
  failed: ['bad', '✕'],
  cancelled: ['warn', '⊘'],
  cut_off: ['warn', '┄'],
  interrupted: ['warn', '‖']
};

export const TOOL_LOOKS: Readonly<Record<ToolCallView['state'], Look>> = {
  running: ['run', '◐'],
  done: ['ok', '✓'],
  failed: ['bad', '✕'],
  denied: ['warn', '⊘'],
  outcome_unknown: ['warn', '?']
};

export const TODO_LOOKS: Readonly<Record<TodoView['state'], Look>> = {
  pending: ['idle', '○'],
  running: ['run', '◐'],
  completed: ['ok', '✓'],
  blocked: ['bad', '▲'],
  failed: ['bad', '✕']
};

export const CHECK_LOOKS: Readonly<Record<CheckView['state'], Look>> = {
  passed: ['ok', '✓'],
  failed: ['bad', '✕'],
  timed_out: ['bad', '✕']
};

export const REVIEW_LOOKS: Readonly<Record<ReviewView['state'], Look>> = {
  not_required: ['idle', '–'],
  pending: ['idle', '○'],
  running: ['run', '◐'],
  approved: ['ok', '✓'],
  changes_requested: ['warn', '▲'],
  blocked: ['bad', '✕'],
  not_reviewed: ['warn', '–']
};
