/**
 * How a card asks the page around it to insert a cell, and hears of the connection to the kernel.
 *
 * A live card is a module of its own, and a saved one is drawn by a plugin of its own: neither knows
 * the notebook. So they speak by events of the document with our extension, where it is installed.
 * Where nobody answers, nothing is offered.
 */

const ASKED = 'braincode-can-insert';
const INSERT = 'braincode-insert';
const CONNECTION = 'braincode-connection';

/** Code of an answer, as text; it is never run by inserting it. */
export type InsertedCode = { readonly code: string; readonly sessionId: string };

type Insertion = { insertCode?(code: string, block: Element): void };

/** What a card offers on this page: inserting below the cell that holds it, or nothing. */
export function insertion(sessionId: () => string): Insertion {
  if (document.dispatchEvent(new CustomEvent(ASKED, { cancelable: true }))) {
    return {};
  }
  return {
    insertCode(code, block) {
      const detail: InsertedCode = { code, sessionId: sessionId() };
      block.dispatchEvent(new CustomEvent(INSERT, { bubbles: true, cancelable: true, detail }));
    }
  };
}

/** Answer the cards of this page. */
export function answerCards(insert: (from: Element, code: InsertedCode) => void): void {
  document.addEventListener(ASKED, event => event.preventDefault());
  document.addEventListener(INSERT, event => {
    const detail: unknown = event instanceof CustomEvent ? event.detail : undefined;
    if (event.target instanceof Element && isCode(detail)) {
      event.preventDefault();
      insert(event.target, detail);
    }
  });
}

/** Tell the cards of this page that the connection to a kernel was lost, or is back. */
export function tellConnection(): void {
  document.dispatchEvent(new CustomEvent(CONNECTION));
}

/** Hear of it, and of what the browser itself knows of the network; returns what ends that. */
export function onConnection(listener: () => void): () => void {
  const sources = [[document, CONNECTION], [window, 'offline'], [window, 'online']] as const;
  sources.forEach(([target, name]) => target.addEventListener(name, listener));
  return () => sources.forEach(([target, name]) => target.removeEventListener(name, listener));
}

function isCode(detail: unknown): detail is InsertedCode {
  const { code, sessionId } = (detail ?? {}) as Partial<Record<keyof InsertedCode, unknown>>;
  return typeof code === 'string' && typeof sessionId === 'string';
}
