/** One question to the kernel of a notebook, and at most one answer. */

import type { Kernel } from '@jupyterlab/services';
import { CommsOverSubshells } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';
import { UUID } from '@lumino/coreutils';

export const COMPLETION_TARGET = 'braincode.complete';
export const SNAPSHOT_TARGET = 'braincode.snapshot';

/**
 * Ask, and wait for the answer.
 *
 * Null if the kernel does not know us or takes too long. A kernel with subshells answers while a
 * cell runs.
 */
export function askKernel(
  kernel: Kernel.IKernelConnection,
  target: string,
  question: JSONObject,
  timeoutMs: number
): Promise<JSONObject | null> {
  return new Promise(resolve => {
    const comm = kernel.createComm(target, UUID.uuid4());
    const timer = setTimeout(() => {
      resolve(null);
      comm.dispose();
    }, timeoutMs);
    comm.onMsg = message => {
      clearTimeout(timer);
      resolve(message.content.data as JSONObject);
    };
    // The kernel closes behind its answer; without one it does not know us.
    comm.onClose = () => {
      clearTimeout(timer);
      resolve(null);
    };
    comm.open(question);
  });
}

/** Tell something that the kernel has to know before the next request of this page. */
export function tellKernel(kernel: Kernel.IKernelConnection, target: string, data: JSONObject): void {
  const comm = kernel.createComm(target, UUID.uuid4());
  // Only the main shell keeps the order of this message and of the cell that runs after it.
  comm.commsOverSubshells = CommsOverSubshells.Disabled;
  comm.open(data);
  comm.close();
}
