/** The facts of a session as words. */

import type { SessionRow } from '../protocol/generated';
import { count, money } from '../view/figures';
import { LOCALE, WORDS } from '../words/catalogue';

const DAY_MS = 86_400_000;

/** Today the time, this year the day, else the date. */
export function whenOf(row: SessionRow): string {
  const then = new Date(row.updatedMs);
  const now = new Date();
  const isToday = then.toDateString() === now.toDateString();
  if (isToday) {
    return then.toLocaleTimeString(LOCALE, { hour: '2-digit', minute: '2-digit' });
  }
  const isRecent = now.getTime() - row.updatedMs < 300 * DAY_MS;
  const day = { day: 'numeric', month: 'short' } as const;
  return then.toLocaleDateString(LOCALE, isRecent ? day : { ...day, year: 'numeric' });
}

/** Cost or tokens, then models without their provider. */
export function detailsOf(row: SessionRow): string[] {
  const spent = row.costUsd !== undefined && row.tokens ? money(row.costUsd) : row.tokens ? WORDS.tokens({ text: count(row.tokens) }) : '';
  const models = row.models.map(model => model.slice(model.lastIndexOf('/') + 1));
  return [spent, models.join(', ')].filter(Boolean);
}
