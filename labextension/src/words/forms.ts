/** How a language counts. */

/** `1 call`, `1,204 calls`: a number and the form of the noun that goes with it. */
export function plural(locale: string): (count: number, one: string, other: string) => string {
  const rules = new Intl.PluralRules(locale);
  const numbers = new Intl.NumberFormat(locale);
  return (count, one, other) => `${numbers.format(count)} ${rules.select(count) === 'one' ? one : other}`;
}
