/** The editor's part of highlighting: nothing happens in a cell that is no request. */

import { language, syntaxTree } from '@codemirror/language';
import type { Language } from '@codemirror/language';
import type { Extension, Text, TransactionSpec } from '@codemirror/state';
import { Compartment, EditorState, Prec, StateEffect } from '@codemirror/state';
import type { DecorationSet, ViewUpdate } from '@codemirror/view';
import { Decoration, EditorView, ViewPlugin } from '@codemirror/view';
import { HEAD_CHARS, isRequest } from '../notebook/magic';
import { marksOf } from './reference-marks';

/** Look again: the language was loaded, or the user has chosen otherwise. */
const again = StateEffect.define<null>();

/** Where the language comes from, and whether it is wanted. */
export interface IRequestLanguage {
  /** Undefined until it is loaded. */
  readonly current: Language | undefined;
  readonly isWanted: boolean;
  /** Load it, once; calls `refresh` of every editor when it is there. */
  load(): void;
}

export class Highlighting {
  private readonly views = new Set<EditorView>();

  constructor(private readonly source: IRequestLanguage) {}

  /** Let every open editor look again. */
  refresh(): void {
    for (const view of this.views) {
      view.dispatch({ effects: again.of(null) });
    }
  }

  /** Return the extension of one editor. */
  extension(): Extension {
    const { source, views } = this;
    const place = new Compartment();
    const choose = EditorState.transactionExtender.of((transaction): TransactionSpec | null => {
      if (!transaction.docChanged && !transaction.effects.some(effect => effect.is(again))) {
        return null;
      }
      const wanted = languageOf(transaction.newDoc, source);
      const present = isOurs(transaction.startState, source) ? source.current : undefined;
      // The first language counts: ours comes before the one of the kernel. A request is prose, so
      // it wraps, whatever the notebook does with code.
      const added = wanted ? [Prec.highest(language.of(wanted)), EditorView.lineWrapping] : [];
      return wanted === present ? null : { effects: place.reconfigure(added) };
    });
    const marks = ViewPlugin.define(view => new Marks(view, views, source), {
      decorations: plugin => plugin.marks
    });
    return [choose, place.of([]), marks];
  }
}

/** Return our language for a text that is a request, once it is loaded. */
function languageOf(text: Text, source: IRequestLanguage): Language | undefined {
  if (!source.isWanted || !isRequest(text.sliceString(0, HEAD_CHARS))) {
    return undefined;
  }
  if (!source.current) {
    source.load();
  }
  return source.current;
}

function isOurs(state: EditorState, source: IRequestLanguage): boolean {
  return source.current !== undefined && state.facet(language) === source.current;
}

class Marks {
  marks: DecorationSet = Decoration.none;

  constructor(
    private readonly view: EditorView,
    private readonly views: Set<EditorView>,
    private readonly source: IRequestLanguage
  ) {
    views.add(view);
    // A view cannot change while it is being made.
    queueMicrotask(() => {
      if (views.has(view) && languageOf(view.state.doc, source)) {
        view.dispatch({ effects: again.of(null) });
      }
    });
  }

  update(update: ViewUpdate): void {
    const { startState, state } = update;
    const isOn = isOurs(state, this.source);
    if (!isOn) {
      this.marks = Decoration.none;
    } else if (
      update.docChanged ||
      update.viewportChanged ||
      !isOurs(startState, this.source) ||
      syntaxTree(startState) !== syntaxTree(state)
    ) {
      this.marks = marksOf(this.view);
    }
  }

  destroy(): void {
    this.views.delete(this.view);
  }
}
