/**
 * Keys that a notebook takes for itself, such as Enter, arrows and `d d`, belong to the card while
 * the focus is in it; Escape, and those with Ctrl or Command, such as Save, stay with the notebook.
 */

/** Lumino's commands leave keys alone on an element with this attribute, and below it. */
const OURS = 'data-lm-suppress-shortcuts';

/** Takes effect until the function that it returns is called. */
export function keepKeys(card: HTMLElement): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.target instanceof Element && card.contains(event.target)) {
      event.target.toggleAttribute(OURS, !(event.ctrlKey || event.metaKey || event.key === 'Escape'));
    }
  };
  // Before the notebook, which listens on the document.
  window.addEventListener('keydown', onKey, true);
  return () => window.removeEventListener('keydown', onKey, true);
}
