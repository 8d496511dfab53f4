/** What a reader of the card can do, as the place that draws it offers it. */

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
  /** Send an answer; false if it could not be sent. */
  answer?(approvalId: string, decision: Decision): boolean;
  /** Insert code as a cell below the one that holds `block`; it is never run by that. */
  insertCode?(code: string, block: Element): void;
};
