/** What untrusted text becomes before it is shown: text without anything that acts. */

/** Terminal sequences: CSI, then OSC and other strings, then two-character escapes. */
const TERMINAL =
  // eslint-disable-next-line no-control-regex
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -~]?/g;
/** C0 and C1 controls but newline and tab, and what reorders or hides text. */
const CONTROLS =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;

export function plainText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(TERMINAL, '').replace(CONTROLS, '');
}

/** The same on one line. */
export function oneLine(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim();
}

/** At most `limit` characters, with a mark where text was cut. */
export function shortened(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).trimEnd()}…`;
}
