/** Ids of the commands, so that each is spelt once. */

export const COMMANDS = {
  insertRun: 'braincode:insert-run',
  copyCellReference: 'braincode:copy-cell-reference',
  copyOutputReference: 'braincode:copy-output-reference',
  copyFileReference: 'braincode:copy-file-reference',
  labelCell: 'braincode:label-cell',
  insertCode: 'braincode:insert-code',
  showSessions: 'braincode:show-sessions'
} as const;
