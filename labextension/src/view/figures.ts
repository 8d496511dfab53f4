/** Numbers as people read them. */

/** `< 0.1 s`, `8.2 s`, `19 s`, `3:05`, `1:02:03`; whole seconds that have passed, as the clock. */
export function duration(ms: number): string {
  if (ms < 100) {
    return '< 0.1 s';
  }
  const seconds = ms / 1000;
  if (seconds < 10) {
    return `${(Math.floor(seconds * 10) / 10).toFixed(1)} s`;
  }
  return seconds < 60 ? `${Math.floor(seconds)} s` : clock(ms);
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
    return `${(value / 1_000).toFixed(1).replace('.0', '')}k`;
  }
  return value < 999_500 ? `${Math.round(value / 1_000)}k` : `${(value / 1_000_000).toFixed(1)}M`;
}

/** `$0.031`, `$1.20`, `< $0.001`, `$0`. */
export function money(usd: number): string {
  if (usd > 0 && usd < 0.001) {
    return '< $0.001';
  }
  if (usd === 0) {
    return '$0';
  }
  return usd < 1 ? `$${usd.toFixed(3)}` : `$${usd.toFixed(2)}`;
}

/** `812 characters`, `5.0 MB of text`. */
export function textSize(chars: number): string {
  return chars < 10_000 ? `${Math.round(chars)} characters` : `${count(chars)} characters`;
}
