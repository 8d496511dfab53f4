// Bundles the anywidget: one ESM file and one style sheet, because a module that is loaded from a
// blob cannot import its neighbours.
import { build } from 'esbuild';

const outdir = '../braincode_jupyter/widget/static';
const shared = { bundle: true, minify: true, legalComments: 'none', charset: 'utf8', logLevel: 'warning' };

await build({
  ...shared,
  entryPoints: { 'run-widget': 'src/widget/run-widget.ts' },
  format: 'esm',
  target: 'es2021',
  outdir
});
await build({ ...shared, entryPoints: { 'run-widget': 'style/run.css' }, target: 'es2021', outdir });
