/** What a language has to say: everything that English says. */

import type { EN } from './en';

/** The same keys, each with any text in the place of the English one. */
type Translated<T> = T extends string
  ? string
  : T extends (...values: infer Values) => string
    ? (...values: Values) => string
    : { readonly [Key in keyof T]: Translated<T[Key]> };

export type Language = Translated<typeof EN>;
