/** Completion of references, options and their values; the kernel says what there is. */

import type { CodeEditor } from '@jupyterlab/codeeditor';
import type {
  CompleterModel,
  CompletionHandler,
  ICompletionContext,
  ICompletionProvider
} from '@jupyterlab/completer';
import { NotebookPanel } from '@jupyterlab/notebook';
import type { JSONObject } from '@lumino/coreutils';
import { COMPLETION_TARGET, askKernel } from '../notebook/ask-kernel';
import { isLineMagic, isRequest } from '../notebook/magic';
import { pageCells } from '../notebook/page-cells';
import type { ITypingSettings } from '../plugins/settings';
import { LOCALE } from '../words/catalogue';
import { OfferModel, OfferRenderer, offerItem } from './offer-item';
import type { IOfferItem } from './offer-item';
import { isBeingTyped } from './open-list';
import { fragmentOf, pageOffers } from './page-offers';

/** Before the providers of the kernel and of the text, which offer some of the same. */
const RANK = 1_000;
/** JupyterLab gives up on a provider after a second; a busy kernel may take longer. */
const IN_TIME_MS = 800;
const TIMEOUT_MS = 20_000;
const NOTHING = { start: 0, end: 0, items: [] };

export class ReferenceProvider implements ICompletionProvider<IOfferItem> {
  readonly identifier = 'CompletionProvider:braincode';
  readonly rank = RANK;
  readonly renderer = new OfferRenderer();
  readonly fetch: ICompletionProvider<IOfferItem>['fetch'] = this.offersFor.bind(this);

  /** The newest question is about something of ours, or its answer is late. */
  private isOurs = false;
  /** The list of each notebook; while it is open, JupyterLab asks nothing anew. */
  private readonly lists = new WeakMap<object, OfferModel>();
  /** An answer that came too late to be shown at once, and the question. */
  private late: { readonly question: string; readonly answer: JSONObject } | undefined;

  /** `open` opens the list of a notebook. */
  constructor(
    private readonly settings: ITypingSettings,
    private readonly open: (panel: NotebookPanel) => void
  ) {}

  async modelFactory({ widget }: ICompletionContext): Promise<CompleterModel> {
    const list = new OfferModel(() => this.isOurs);
    this.lists.set(widget, list);
    return list;
  }

  async isApplicable(context: ICompletionContext): Promise<boolean> {
    const { editor, widget } = context;
    this.isOurs = false;
    return (
      this.settings.isOn('completion') &&
      widget instanceof NotebookPanel &&
      !!editor &&
      (isRequest(editor.model.sharedModel.getSource()) || isLineMagic(lineAt(editor)))
    );
  }

  private async offersFor(
    request: CompletionHandler.IRequest,
    context: ICompletionContext
  ): Promise<CompletionHandler.ICompletionItemsReply<IOfferItem>> {
    // The completer and the kernel count code points.
    const before = [...request.text].slice(0, request.offset).join('');
    const lines = before.split('\n');
    const answer = await this.askInTime(context, {
      kind: 'offers',
      text: request.text,
      line: lines.length - 1,
      column: [...(lines[lines.length - 1] ?? '')].length
    });
    const { fragment, items } = answer === 'late' ? offersOfPage(context, lines[lines.length - 1] ?? '') : (answer ?? {});
    if (typeof fragment !== 'string' || !Array.isArray(items)) {
      return NOTHING;
    }
    this.isOurs = fragment !== '' || answer === 'late';
    const replaces = { start: before.length - fragment.length, end: before.length };
    const offers = items as { text: string; kind: string; detail: string }[];
    return {
      start: request.offset - [...fragment].length,
      end: request.offset,
      items: offers.map(({ text, kind, detail }, place) => offerItem(kind, { text, detail, place, replaces }))
    };
  }

  async resolve(item: IOfferItem, context: ICompletionContext): Promise<IOfferItem> {
    const token = item.insertText ?? item.label;
    if (!token.startsWith('@') || item.type === 'prefix' || item.type === 'folder') {
      return item;
    }
    const answer = await this.ask(context, { kind: 'preview', token });
    const preview = answer?.['preview'];
    return typeof preview === 'string' ? { ...item, documentation: preview } : item;
  }

  /** Ask; an answer that takes too long opens the list, or completes it, once it is there. */
  private async askInTime(
    context: ICompletionContext,
    question: JSONObject & { readonly text: string }
  ): Promise<JSONObject | 'late' | null> {
    const asked = JSON.stringify(question);
    const { late } = this;
    this.late = undefined;
    if (late?.question === asked) {
      return late.answer;
    }
    const answering = this.ask(context, question);
    const wait = new Promise<null>(resolve => setTimeout(() => resolve(null), IN_TIME_MS));
    const inTime = await Promise.race([answering.then(answer => ({ answer })), wait]);
    if (!inTime) {
      void answering.then(answer => this.openLate(context, asked, answer));
      return 'late';
    }
    return inTime.answer;
  }

  private openLate(context: ICompletionContext, question: string, answer: JSONObject | null): void {
    const { editor, widget } = context;
    if (!answer || !editor?.hasFocus() || !(widget instanceof NotebookPanel)) {
      return;
    }
    const { column } = editor.getCursorPosition();
    if (isBeingTyped(lineAt(editor).slice(0, column))) {
      this.late = { question, answer };
      this.lists.get(widget)?.reset(true);
      this.open(widget);
    }
  }

  private async ask(context: ICompletionContext, question: JSONObject): Promise<JSONObject | null> {
    const kernel = context.session?.kernel;
    if (!kernel?.handleComms) {
      return null;
    }
    const asked = { ...question, ...this.cells(context), language: LOCALE };
    return askKernel(kernel, COMPLETION_TARGET, asked, TIMEOUT_MS);
  }

  /** The cells as the page shows them, where the user allows it: they were perhaps never run. */
  private cells(context: ICompletionContext): JSONObject {
    const panel = context.widget;
    if (!(panel instanceof NotebookPanel) || !this.settings.isOn('snapshots')) {
      return {};
    }
    const cells = pageCells(panel.content, { withOutputs: false });
    return cells ? { cells, active: panel.content.activeCell?.model.id ?? '' } : {};
  }
}

/** What the page knows until the kernel answers. */
function offersOfPage({ widget }: ICompletionContext, line: string): JSONObject {
  const fragment = fragmentOf(line);
  return { fragment, items: widget instanceof NotebookPanel ? pageOffers(widget, fragment) : [] };
}

function lineAt(editor: CodeEditor.IEditor): string {
  return editor.getLine(editor.getCursorPosition().line) ?? '';
}
