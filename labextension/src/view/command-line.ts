/** Lines that go on from a run: what a reader types into a cell. */

/** Characters of a session id that are enough to find it. */
const ID_CHARS = 12;

/** `%braincode retry 3f2a91c4 librarian`; without the id where there is none. */
export function commandLine(verb: string, sessionId: string, ...rest: readonly string[]): string {
  const start = (sessionId.split('-')[0] ?? '').slice(0, ID_CHARS);
  return ['%braincode', verb, start, ...rest].filter(Boolean).join(' ');
}
