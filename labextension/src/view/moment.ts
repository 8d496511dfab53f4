/** What time it is for a run, which lives on a kernel with a clock of its own. */

import type { RunView } from '../protocol/generated';

/** In milliseconds since the epoch. */
export type Moment = { now(): number };

/** The clock of the kernel: ours, until the kernel tells its own or shows that ours is behind. */
export class KernelMoment implements Moment {
  private aheadMs = 0;
  private latestMs = 0;

  constructor(private readonly isLive: boolean) {}

  set(kernelMs: number): void {
    this.aheadMs = Date.now() - kernelMs;
  }

  learn(view: RunView): void {
    this.latestMs = latestOf(view);
    this.aheadMs = Math.min(this.aheadMs, Date.now() - this.latestMs);
  }

  now(): number {
    return this.isLive ? Math.max(this.latestMs, Date.now() - this.aheadMs) : this.latestMs;
  }
}

/** The latest time that a view tells of. */
export function latestOf(view: RunView): number {
  const times = view.agents.flatMap(agent => [agent.queuedMs, agent.startedMs, agent.endedMs]);
  return Math.max(view.startedMs, view.endedMs ?? 0, ...times.map(time => time ?? 0));
}
