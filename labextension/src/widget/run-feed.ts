/**
 * What one widget model knows of its run: the newest view, and the text that each agent streamed.
 *
 * The kernel sends numbered messages: a `delta` holds what changed of the view and pieces of text, a
 * `sync` holds everything. A missing number means that a message was lost; then a `sync` is asked for.
 */

import { isRecord, readRunView } from '../protocol/read';
import type { RunView } from '../protocol/generated';
import { StreamedText, readSettled } from '../view/streamed-text';
import type { Piece } from '../view/streamed-text';

/** What came of a message. */
export type News = { readonly isView: boolean; readonly pieces: readonly Piece[]; readonly isGap: boolean };

/** What we have of one agent's text, so that only the rest is sent again. */
export type Have = Readonly<Record<string, { readonly attempt: number; readonly offset: number; readonly until: number }>>;

type Stream = { attempt: number; readonly text: StreamedText };

const NOTHING: News = { isView: false, pieces: [], isGap: false };
/** Lists of which only what is new is sent. */
const GROWING = ['plots', 'tables'] as const;
/** Agents whose text is kept. */
const MAX_STREAMS = 256;

export class RunFeed {
  view: RunView | null = null;
  /** One-time words of the kernel, by approval; they are no part of a view. */
  readonly nonces = new Map<string, string>();
  private raw: Record<string, unknown> = {};
  private seq = 0;
  private readonly streams = new Map<string, Stream>();

  /** Take a whole view, as the trait holds it. */
  replace(data: unknown): boolean {
    const view = readRunView(data);
    if (!view || !isRecord(data)) {
      return false;
    }
    this.raw = data;
    this.view = view;
    return true;
  }

  accept(message: unknown): News {
    if (isRecord(message) && message.kind === 'approval') {
      return this.takeNonce(message.approvalId, message.nonce);
    }
    if (!isRecord(message) || typeof message.seq !== 'number') {
      return NOTHING;
    }
    if (message.kind === 'sync') {
      this.seq = message.seq;
      return { isView: this.replace(message.view), pieces: this.takeAll(message.items), isGap: false };
    }
    if (message.kind !== 'delta' || message.seq <= this.seq) {
      return NOTHING;
    }
    const isGap = message.seq !== this.seq + 1;
    if (isGap) {
      return { ...NOTHING, isGap };
    }
    this.seq = message.seq;
    return { isView: this.patch(message.patch), pieces: this.takeAll(message.items), isGap };
  }

  private takeNonce(approvalId: unknown, nonce: unknown): News {
    const isTaken = typeof approvalId === 'string' && typeof nonce === 'string';
    if (isTaken) {
      if (this.nonces.size >= MAX_STREAMS) {
        this.nonces.clear();
      }
      this.nonces.set(approvalId, nonce);
    }
    return { ...NOTHING, isView: isTaken && this.view !== null };
  }

  have(): Have {
    return Object.fromEntries(
      [...this.streams].map(([id, { attempt, text }]) => [id, { attempt, offset: text.end, until: text.until }])
    );
  }

  /** All text so far, for a view that is drawn later than it came. */
  pieces(): readonly Piece[] {
    return [...this.streams].map(([contextId, { text }]) => text.whole(contextId));
  }

  private patch(data: unknown): boolean {
    if (!isRecord(data)) {
      return false;
    }
    const next = { ...this.raw, ...(isRecord(data.set) ? data.set : {}) };
    for (const key of Array.isArray(data.unset) ? data.unset : []) {
      delete next[String(key)];
    }
    for (const field of GROWING) {
      const change: unknown = data[field];
      if (Array.isArray(change) && typeof change[0] === 'number') {
        next[field] = [...listOf(next[field]).slice(0, change[0]), ...listOf(change[1])];
      }
    }
    if (Array.isArray(data.agents) && Array.isArray(next.agents)) {
      const agents: unknown[] = [...(next.agents as unknown[])];
      for (const change of data.agents as unknown[]) {
        if (Array.isArray(change) && typeof change[0] === 'number' && change[0] < agents.length) {
          agents[change[0]] = change[1];
        }
      }
      next.agents = agents;
    }
    return this.replace(next);
  }

  private takeAll(items: unknown): readonly Piece[] {
    return (Array.isArray(items) ? items : []).flatMap(item => this.take(item));
  }

  private take(item: unknown): readonly Piece[] {
    if (!isRecord(item) || typeof item.contextId !== 'string' || typeof item.text !== 'string') {
      return [];
    }
    const { contextId, text } = item;
    const attempt = Number(item.attempt) || 0;
    const piece = { contextId, offset: Number(item.offset) || 0, text, settled: readSettled(item.settled) };
    const known = this.streams.get(contextId);
    if (known && known.attempt === attempt) {
      known.text.accept(piece);
      return [piece];
    }
    if (!known && this.streams.size >= MAX_STREAMS) {
      return [];
    }
    const fresh = { attempt, text: new StreamedText() };
    fresh.text.accept(piece);
    this.streams.set(contextId, fresh);
    return known ? [{ contextId, offset: 0, text: '' }, piece] : [piece];
  }
}

function listOf(data: unknown): readonly unknown[] {
  return Array.isArray(data) ? (data as unknown[]) : [];
}
