/** Numbers as people read them, in the language of the page. */

import { LOCALE, WORDS } from '../words/catalogue';

/** `< 0.1 s`, `8.2 s`, `19 s`, `3:05`, `1:02:03`; whole seconds that have passed, as the clock. */
export function duration(ms: number): string {
  if (ms < 100) {
    return `< ${WORDS.seconds({ text: decimal(0.1, 1) })}`;
  }
  const seconds = ms / 1000;
  if (seconds < 10) {
    return WORDS.seconds({ text: decimal(Math.floor(seconds * 10) / 10, 1) });
  }
  return seconds < 60 ? WORDS.seconds({ text: String(Math.floor(seconds)) }) : clock(ms);
}

/** `0:41`, `1:02:03`: the ticking clock of the header. */
export function clock(ms: number): string {
  const total = Math.floor(Math.max(0, ms) / 1000);
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  const tail = `${String(seconds).padStart(2, '0')}`;
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`;
}

/** `830`, `18.2k`, `1.4M`. */
export function count(value: number): string {
  if (value < 1_000) {
    return String(Math.round(value));
  }
  if (value < 99_950) {
    return WORDS.thousands({ text: decimal(value / 1_000, 0, 1) });
  }
  return value < 999_500
    ? WORDS.thousands({ text: String(Math.round(value / 1_000)) })
    : WORDS.millions({ text: decimal(value / 1_000_000, 1) });
}

/** `940 bytes`, `14.2 kB`, `1.3 MB`. */
export function bytes(size: number): string {
  if (size < 1_000) {
    return WORDS.bytes({ count: size });
  }
  return size < 999_950
    ? WORDS.kilobytes({ text: decimal(size / 1_000, 1) })
    : WORDS.megabytes({ text: decimal(size / 1_000_000, 1) });
}

/** `$0.031`, `$1.20`, `< $0.001`, `$0`. */
export function money(usd: number): string {
  if (usd > 0 && usd < 0.001) {
    return `< ${dollars(0.001, 3)}`;
  }
  return dollars(usd, usd === 0 ? 0 : usd < 1 ? 3 : 2);
}

function dollars(usd: number, digits: number): string {
  return format(usd, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits
  });
}

function decimal(value: number, least: number, most = least): string {
  return format(value, { minimumFractionDigits: least, maximumFractionDigits: most });
}

/** Making a format costs more than using it, and the figures of 64 agents are drawn each second. */
const formats = new Map<string, Intl.NumberFormat>();

function format(value: number, options: Intl.NumberFormatOptions): string {
  const key = `${LOCALE} ${options.style} ${options.minimumFractionDigits} ${options.maximumFractionDigits}`;
  const known = formats.get(key) ?? new Intl.NumberFormat(LOCALE, options);
  formats.set(key, known);
  return known.format(value);
}
