/** Work that is done a little at a time, so that a page with many cards stays responsive. */

/** Of each turn of the page; layout and painting come on top. */
const SLICE_MS = 12;
/** Between two turns the page can paint and take clicks. */
const PAUSE_MS = 8;

const queue: (() => void)[] = [];
let leftMs = SLICE_MS;
let isPlanned = false;

/** Do this now if little was done in this turn of the page, else when it is its turn. */
export function inTurn(work: () => void): Promise<void> {
  return new Promise((done, fail) => {
    queue.push(() => {
      try {
        done(work());
      } catch (error) {
        // What waits behind it gets its turn all the same.
        fail(error);
      }
    });
    if (queue.length === 1) {
      workOff();
    }
    if (!isPlanned) {
      isPlanned = true;
      setTimeout(nextTurn, PAUSE_MS);
    }
  });
}

function nextTurn(): void {
  leftMs = SLICE_MS;
  workOff();
  isPlanned = queue.length > 0;
  if (isPlanned) {
    setTimeout(nextTurn, PAUSE_MS);
  }
}

function workOff(): void {
  for (let work = queue[0]; work && leftMs > 0; work = queue[0]) {
    const started = performance.now();
    queue.shift();
    work();
    leftMs -= performance.now() - started;
  }
}
