/** What a reader of the card can do, as the place that draws it offers it. */

import type { ApprovalView } from '../protocol/generated';

export type Decision = 'approve' | 'deny' | 'approve_same';

/** What is absent is not offered. */
export type Actions = {
  /** False for a recorded run: nothing on the card changes by itself. */
  readonly isLive: boolean;
  stop?(): void;
  /** Run a worker again while the run goes on. */
  retry?(contextId: string): void;
  /** Whether the kernel waits for an answer of this page. */
  canAnswer?(approvalId: string): boolean;
  /** Send an answer to what was shown; false if it could not be sent. */
  answer?(approval: ApprovalView, decision: Decision): boolean;
  /** Take back what was allowed for the rest of the run. */
  revoke?(approvalId: string): void;
  /** Insert code as a cell below the one that holds `block`; it is never run by that. */
  insertCode?(code: string, block: Element): void;
};
