// Bundles the page of the report into one HTML file, and writes the notices of what is bundled.
// Sources import the names of the document's members from 'weft:members', and what figures are called from 'weft:labels'.
//   node build.mjs --packages=FOLDER --page=FILE --notices=FILE
// FOLDER holds node_modules. The page keeps two marks, for the title and the data.
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const {values: given} = parseArgs({
  options: {packages: {type: 'string'}, page: {type: 'string'}, notices: {type: 'string'}},
});
const modules = join(given.packages, 'node_modules');
const esbuild = createRequire(join(given.packages, 'package.json'))('esbuild');

/** Names of the document's members, from the C++ files that have its tables: `step_time_s` is 'step_time_s'. */
function memberNames() {
  const folder = join(here, '..', 'src', 'study', 'report');
  const tables = readdirSync(folder).filter((file) => /^comparison_tables\w*\.cc$/.test(file));
  const text = tables.map((file) => readFileSync(join(folder, file), 'utf8')).join('');
  const fields = text.matchAll(/\{(?:\.name = )?"(\w+)",\s*(?:\.access = )?member</g);
  const names = [...new Set([...fields].map(([, name]) => name))].sort();
  if (names.length === 0) throw new Error('comparison_tables*.cc: no names found');
  const constants = names.map((name) => `const of_${name} = '${name}';`); // a name may be a word of the language
  return [...constants, `export {${names.map((name) => `of_${name} as ${name}`).join(', ')}};`].join('\n');
}

/** What figures are called, from the C++ table of all their labels: `fct_us_p99` is 'FCT p99'. */
function figureLabels() {
  const text = readFileSync(join(here, '..', 'src', 'study', 'report', 'figure_labels.h'), 'utf8');
  const labels = [...text.matchAll(/\{"([\w.]+)", "([^"]+)"\}/g)];
  if (labels.length === 0) throw new Error('figure_labels.h: no labels found');
  return labels.map(([, name, label]) => `export const ${name.replace('.', '_')} = '${label}';`).join('\n');
}

/** A module that does not lie in a file. */
const made = (name, contents) => ({
  name,
  setup(build) {
    build.onResolve({filter: new RegExp(`^weft:${name}$`)}, ({path}) => ({path, namespace: name}));
    build.onLoad({filter: /.*/, namespace: name}, () => ({contents: contents(), loader: 'js'}));
  },
});

async function bundled(entry) {
  const result = await esbuild.build({
    entryPoints: [join(here, 'src', entry)],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'iife',
    target: ['es2020'],
    charset: 'ascii',
    legalComments: 'none', // whole texts stand at the end of the page
    nodePaths: [modules],
    plugins: [made('members', memberNames), made('labels', figureLabels)],
    logOverride: {'import-is-undefined': 'error'}, // a member that the tables do not have
    logLevel: 'warning',
  });
  return {text: result.outputFiles[0].text.trim(), inputs: Object.keys(result.metafile.inputs)};
}

/** The packages that the bundle took files from, in alphabetical order. */
function packagesOf(inputs) {
  const names = inputs.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]).filter(Boolean);
  return [...new Set(names)].sort();
}

function textOf(name, files) {
  for (const file of files) {
    try {
      return readFileSync(join(modules, name, file), 'utf8').trim();
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }
  return '';
}

function noticeOf(name) {
  const {version, license} = JSON.parse(textOf(name, ['package.json']));
  const text = textOf(name, ['LICENSE', 'LICENSE.txt', 'LICENSE.md']);
  if (!text) throw new Error(`${name} has no licence text`);
  const notice = textOf(name, ['NOTICE', 'NOTICE.txt']);
  return [`${name} ${version} (${license})`, notice, text].filter(Boolean).join('\n\n');
}

const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** Marks are replaced by functions: a "$" in a text is then only a "$". */
function filled(template, parts) {
  return template.replace(/@WEFT_(STYLE|SCRIPT|NOTICES)@/g, (_, part) => parts[part]);
}

const script = await bundled('main.js');
const style = await bundled('style.css');
const notices = packagesOf(script.inputs)
  .map(noticeOf)
  .join('\n\n' + '-'.repeat(80) + '\n\n');
if (/<\/script|<!--/i.test(script.text)) throw new Error('the bundle would end its own script element');
writeFileSync(given.notices, `Software that the report of weft contains.\n\n${notices}\n`);
writeFileSync(
  given.page,
  filled(readFileSync(join(here, 'src', 'page.html'), 'utf8'), {
    STYLE: style.text,
    SCRIPT: script.text,
    NOTICES: escaped(notices),
  }),
);
