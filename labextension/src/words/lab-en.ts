/** English: what the commands and the sessions panel say. */

import { plural } from './forms';

const one = plural('en');

export const LAB = {
  copyReference: 'Copy as @ Reference',
  copyOutputReference: 'Copy Output as @ Reference',
  copyReferenceHint: 'Copy what a request needs to point at this',
  copiedReference: (tokens: string) => `Copied: ${tokens}`,
  outsideFolder: 'No reference reaches this: it is not in the folder of the notebook.',
  notExecuted: 'Run the cell first: an output is named by the number of its run.',
  labelCell: 'Label This Cell…',
  labelCellHint: 'Give this cell a name that @cell: refers to',
  labelTitle: 'Label this cell',
  labelAsk: 'Name, for @cell:NAME; empty takes it away',
  labelOk: 'Label',
  labelBad: 'A label is letters, digits, - and _, and begins with a letter.',
  labelTaken: (label: string) => `Another cell is called ${label}.`,
  insertCode: 'Insert Code of the Answer Below This Cell',
  insertCodeHint: 'Insert this code as a cell; it is not run',
  notebookNeeded: 'Open a notebook to insert a cell in.',
  readOnly: 'This notebook is read-only.',
  sessions: 'Brain sessions',
  showSessions: 'Show Brain Sessions',
  search: 'Search sessions',
  searchHint: 'Words of the request, the id, a model or the state',
  refresh: 'Read the list again',
  noPrompt: '(no request)',
  listed: (total: number) => `${one(total, 'session', 'sessions')}, newest first`,
  found: (number: number) => `${number} found`,
  foundSoFar: (number: number, looked: string, total: string) =>
    `${number} found in ${looked} of ${total}`,
  noneFound: 'No session has all these words.',
  noSessions: 'No sessions yet. A cell that begins with %%braincode makes the first one.',
  noNotebook: 'Open a notebook: its kernel lists the sessions.',
  noKernel: 'This notebook has no running kernel. Start one, and its sessions appear here.',
  notLoaded: 'braincode_jupyter is not loaded in this kernel. Run this in a cell:',
  insertLoad: 'Insert this line',
  noAnswer: 'The kernel did not answer. Press ⟳ to ask again.',
  kernelBusy: 'The kernel is busy; the list comes when it is free.',
  openCard: 'Open',
  openCardHint: 'Open the card of this session (Enter)',
  copyId: 'Copy @@id',
  copyIdHint: 'Copy the reference to this session',
  resume: 'Continue',
  resumeHint: 'Insert a cell that goes on in this session; it is not run',
  cardOf: (title: string) => `Session: ${title}`,
  close: 'Close',
  openFailed: 'The card could not be read.',
  ended: (state: string, title: string) => `Background run ${state}: ${title}`,
  goToCell: 'Go to the cell'
};
