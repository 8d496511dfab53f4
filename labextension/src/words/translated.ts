/**
 * The words in the language of JupyterLab, as its translator has them.
 *
 * Our Python package brings the other languages as data of JupyterLab's server, made from the same
 * catalogue by locales.mjs: the key of a text stands for the text. A page without that data, such as
 * one without a language pack, speaks English.
 */

import { ENGLISH, knows, languageOf, learn, speak } from './catalogue';
import type { Groups } from './catalogue';
import type { Form } from './forms';

/** What is used of JupyterLab's translators; that of plugins and that of renderers differ. */
type Translator = {
  readonly languageCode: string;
  load(domain: string): { __(key: string): string };
};

/** Name of our data: the entry point `jupyterlab.locale` of the Python package. */
const DOMAIN = 'braincode_jupyter';
/** Is there if any of it is. */
const A_KEY = 'words.stop';

/** Say everything as JupyterLab does from now on. */
export function speakAs(translator: Translator | null | undefined): void {
  const language = languageOf(translator?.languageCode ?? 'en');
  if (translator && !knows(language)) {
    const bundle = translator.load(DOMAIN);
    // The translator gives a key back for which it has no text.
    const find = (key: string): string | undefined => {
      const text = bundle.__(key);
      return text === key ? undefined : text;
    };
    if (find(A_KEY) !== undefined) {
      learn(language, translated(find), key => formOf(find, key));
    }
  }
  speak(language);
}

type Find = (key: string) => string | undefined;

/** The texts of the catalogue, each in English where the data does not have it. */
function translated(find: Find): Groups {
  const groups = Object.entries(ENGLISH).map(([group, forms]) => {
    const texts = Object.entries(forms).map(
      ([name, form]) => [name, formOf(find, `${group}.${name}`) ?? form] as const
    );
    return [group, Object.fromEntries(texts)] as const;
  });
  return Object.fromEntries(groups);
}

/** A language may have one form where English has two. */
function formOf(find: Find, key: string): Form | undefined {
  const [one, other] = [find(`${key}.one`), find(`${key}.other`)];
  if (other === undefined) {
    return find(key);
  }
  return one === undefined ? { other } : { one, other };
}
