// Writes the catalogue as JupyterLab's translator takes it, so that the bundle holds English alone.
// The server finds it by the entry point `jupyterlab.locale` of the Python package.
import { mkdir, readFile, writeFile } from 'node:fs/promises';

const root = new URL('../braincode_jupyter', import.meta.url).pathname;
const target = process.argv[2] ?? `${root}/locale`;
const locales = { fr: 'fr_FR', zh: 'zh_CN' };
const plurals = { fr: 'nplurals=2; plural=(n > 1);', zh: 'nplurals=1; plural=0;' };

// The translator takes a doubled percent sign for one.
const escaped = text => [text.replaceAll('%', '%%')];
const messages = (key, form) =>
  typeof form === 'string'
    ? [[key, escaped(form)]]
    : Object.entries(form).map(([name, text]) => [`${key}.${name}`, escaped(text)]);

for (const [language, locale] of Object.entries(locales)) {
  const catalogue = `${root}/views/catalogue`;
  const files = [`${catalogue}/${language}.json`, `${catalogue}/records/${language}.json`];
  const read = await Promise.all(files.map(file => readFile(file, 'utf8')));
  const all = read.flatMap(text => Object.entries(JSON.parse(text))).flatMap(([group, forms]) =>
    Object.entries(forms).flatMap(([name, form]) => messages(`${group}.${name}`, form))
  );
  const tag = locale.replace('_', '-');
  const head = { domain: 'braincode_jupyter', language: tag, plural_forms: plurals[language] };
  const folder = `${target}/${locale}/LC_MESSAGES`;
  await mkdir(folder, { recursive: true });
  const data = { '': head, ...Object.fromEntries(all) };
  await writeFile(`${folder}/braincode_jupyter.json`, `${JSON.stringify(data)}\n`);
}
