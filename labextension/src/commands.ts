/** Ids of the commands, so that each is spelt once. */

export const COMMANDS = {
  insertRun: 'braincode:insert-run'
} as const;
