/** How a text of the catalogue is filled in: places such as `{name}`, and a form for each number. */

/** A text, or one for each form of its `{count}`. */
export type Form = string | { readonly one?: string; readonly other: string };
/** What stands in a place; numbers are written as the language writes them. */
export type Value = string | number;
export type Values = Readonly<Record<string, Value>>;

const PLACE = /\{(\w+)\}/g;

/** Whether a text says something only together with values. */
export function hasPlaces(form: Form): boolean {
  return typeof form !== 'string' || form.search(PLACE) >= 0;
}

/** `{count} calls` and 1,204 give `1,204 calls`; a place without a value stays as it is. */
export function filled(form: Form, values: Values, locale: string): string {
  return formOf(form, values.count, locale).replace(PLACE, (place, name: string) => {
    const value = values[name];
    return typeof value === 'number' ? numberIn(locale).format(value) : (value ?? place);
  });
}

function formOf(form: Form, count: Value | undefined, locale: string): string {
  if (typeof form === 'string') {
    return form;
  }
  const isOne = typeof count === 'number' && rulesIn(locale).select(count) === 'one';
  return (isOne && form.one) || form.other;
}

const numberIn = inLocale(locale => new Intl.NumberFormat(locale));
const rulesIn = inLocale(locale => new Intl.PluralRules(locale));

/** Made once for each language: it takes longer than all else here. */
function inLocale<T>(make: (locale: string) => T): (locale: string) => T {
  const made = new Map<string, T>();
  return locale => {
    const known = made.get(locale) ?? make(locale);
    made.set(locale, known);
    return known;
  };
}
