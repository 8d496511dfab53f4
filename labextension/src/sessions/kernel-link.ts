/** Asks the kernel of a notebook for sessions: numbered questions over one comm, each with a time-out. */

import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { readObjectOf } from '../protocol/read';
import type { SessionPage } from '../protocol/generated';
import { isRecord } from '../protocol/read';

const TARGET = 'braincode.sessions';
/** A kernel that is busy answers when it is free; until then the panel says so. */
const SLOW_MS = 3_000;
const ANSWER_MS = 60_000;
const SUBSHELL_MS = 1_000;
/** Questions that wait for an answer. */
const MAX_WAITING = 20;

/** Why there is no answer. */
export type Refusal = 'not-loaded' | 'no-answer' | 'gone';

export class NoAnswer extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal);
  }
}

type Waiting = { resolve(answer: Record<string, unknown>): void; reject(error: NoAnswer): void };

export class KernelLink {
  private comm: Promise<Kernel.IComm> | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private number = 0;

  constructor(
    private readonly kernel: Kernel.IKernelConnection,
    private readonly onSlow: () => void
  ) {
    kernel.statusChanged.connect(this.onStatus, this);
  }

  /** A page of sessions; rejected with `NoAnswer`. */
  async page(query: string, start: number, limit: number): Promise<SessionPage> {
    const answer = await this.ask({ kind: 'list', query, start, limit });
    return readObjectOf<SessionPage>(answer.page, 'SessionPage');
  }

  /** The card of a session, as JSON, or what the kernel says instead. */
  async card(sessionId: string): Promise<{ view: unknown } | { problem: string }> {
    const answer = await this.ask({ kind: 'open', sessionId });
    if (answer.kind === 'run') {
      return { view: answer.view };
    }
    return { problem: [answer.message, answer.hint].filter(text => typeof text === 'string').join(' ') };
  }

  dispose(): void {
    this.kernel.statusChanged.disconnect(this.onStatus, this);
    this.drop('gone');
  }

  private async ask(question: Record<string, string | number>): Promise<Record<string, unknown>> {
    if (this.waiting.size >= MAX_WAITING) {
      throw new NoAnswer('no-answer');
    }
    const id = ++this.number;
    const slow = setTimeout(this.onSlow, SLOW_MS);
    let lost: ReturnType<typeof setTimeout> | undefined;
    try {
      const answered = new Promise<Record<string, unknown>>((resolve, reject) => {
        this.waiting.set(id, { resolve, reject });
        lost = setTimeout(() => reject(new NoAnswer('no-answer')), ANSWER_MS);
      });
      answered.catch(() => undefined);
      const comm = await this.opened();
      comm.send({ ...question, id });
      return await answered;
    } finally {
      clearTimeout(slow);
      clearTimeout(lost);
      this.waiting.delete(id);
    }
  }

  private opened(): Promise<Kernel.IComm> {
    this.comm ??= this.open().catch((error: unknown) => {
      this.comm = undefined;
      throw error;
    });
    return this.comm;
  }

  private async open(): Promise<Kernel.IComm> {
    if (this.kernel.isDisposed || !this.kernel.handleComms) {
      throw new NoAnswer('gone');
    }
    await this.kernel.info;
    const comm = this.kernel.createComm(TARGET);
    comm.onMsg = message => this.take(message);
    comm.onClose = () => this.drop('not-loaded');
    if (this.kernel.supportsSubshells) {
      // A thread of its own in the kernel answers also while a cell runs.
      const { subshellStarted } = comm as Kernel.IComm & { subshellStarted?: Promise<void> };
      const started = Promise.resolve(subshellStarted).catch(() => undefined);
      await Promise.race([started, new Promise(resolve => setTimeout(resolve, SUBSHELL_MS))]);
    }
    comm.open();
    return comm;
  }

  private take(message: KernelMessage.ICommMsgMsg): void {
    const data: unknown = message.content.data;
    if (isRecord(data) && typeof data.id === 'number') {
      this.waiting.get(data.id)?.resolve(data);
    }
  }

  private onStatus(_: unknown, status: Kernel.Status): void {
    if (status === 'restarting' || status === 'autorestarting' || status === 'dead') {
      this.drop('gone');
    }
  }

  private drop(refusal: Refusal): void {
    this.comm = undefined;
    this.waiting.forEach(one => one.reject(new NoAnswer(refusal)));
    this.waiting.clear();
  }
}
