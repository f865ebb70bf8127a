// Builds the page into heat_lite/ui: files named by their content, and the manifest of the sources.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, '..', 'heat_lite', 'ui');
const common = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2023',
  charset: 'utf8',
  legalComments: 'none',
  outdir: target,
  entryNames: '[name]-[hash]',
  chunkNames: 'part-[hash]',
  metafile: true,
  logLevel: 'warning',
};

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });

function outputOf(result, entry) {
  const found = Object.entries(result.metafile.outputs).find(([, each]) => each.entryPoint === entry);
  return basename(found[0]);
}

const worker = await build({ ...common, entryPoints: ['src/layout-worker.ts'] });
const page = await build({
  ...common,
  entryPoints: ['src/main.tsx', 'src/style.css'],
  splitting: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  define: { LAYOUT_WORKER: JSON.stringify(outputOf(worker, 'src/layout-worker.ts')) },
});

const html = readFileSync(join(here, 'src', 'index.html'), 'utf8')
  .replace('style.css', outputOf(page, 'src/style.css'))
  .replace('main.js', outputOf(page, 'src/main.tsx'));
writeFileSync(join(target, 'index.html'), html);

const hash = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');
const sources = ['package.json', 'package-lock.json', 'tsconfig.json', 'build.mjs',
  ...readdirSync(join(here, 'src'), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => relative(here, join(each.parentPath, each.name)))];
const entries = (folder, names) => Object.fromEntries(names.sort().map((name) => [name, hash(join(folder, name))]));
const manifest = { sources: entries(here, sources), files: entries(target, readdirSync(target)) };
writeFileSync(join(target, 'manifest.json'), `${JSON.stringify(manifest, null, 1)}\n`);
