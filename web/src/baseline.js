// What differs from other results, if the report was made with some: at headline figures, and in a section. The differences are
// those of `weft diff`: A is the baseline, B this comparison.
import * as labels from 'weft:labels';
import * as member from 'weft:members';
import {list, possible} from './comparison.js';
import {h} from './dom.js';
import {count, dollars, isNumber, microseconds, plain, seconds, signedPercent, watts} from './format.js';
import {fabricName} from './marks.js';
import {details, section, table} from './section.js';

const MOST_ROWS = 300; // of a table
const NONE = 'none: within the confidence interval';
const NOT_KNOWN = 'not known: an interval says little';

export const baseline = JSON.parse(document.getElementById('weft-baseline').textContent);

const before = new Map(list(baseline?.fabrics).map((fabric) => [fabric.name, fabric]));
const differences = new Map(list(baseline?.diff.figures).map((row) => [`${row.fabric} ${row.name}`, row]));

const valueAt = (fabric, name) => name.split('.').reduce((value, key) => value?.[key], fabric);

/** The step time or the money for a unit of work in the baseline. */
export const baselineStep = (fabric) => before.get(fabric.name)?.[member.step_time_s];
export const baselineCost = (fabric) => before.get(fabric.name)?.usd;

/** In words, how a figure differs from that of the baseline; nothing without a baseline, or if neither has the figure. */
export function change(fabric, name) {
  if (!baseline || !fabric.possible) return undefined;
  if (!before.has(fabric.name)) return 'not in the baseline';
  const row = differences.get(`${fabric.name} ${name}`);
  if (!row) return isNumber(valueAt(fabric, name)) ? 'as in the baseline' : undefined;
  if (row.difference === NONE) return 'no difference to the baseline: intervals overlap';
  if (row.difference === NOT_KNOWN) return 'difference to the baseline not known: an interval says little';
  if (!isNumber(row.a)) return 'not measured in the baseline';
  if (!isNumber(row.b)) return undefined;
  return isNumber(row.relative_change) ? `${signedPercent(row.relative_change)} to the baseline` : '0 in the baseline';
}

/** The same below a figure of a table. */
export const changeBelow = (fabric, name) => {
  const text = change(fabric, name);
  return text && h('span', {class: 'below change'}, text);
};

const HEADLINES = [
  [labels.step_time_s, member.step_time_s, seconds],
  [labels.work_cost_usd, `${member.work_cost}.usd`, dollars],
  [labels.cost_usd, member.cost_usd, dollars],
  [labels.power_w, member.power_w, watts],
  [labels.tokens_per_second, member.tokens_per_second, count],
  [labels.exposed_communication_s, member.exposed_communication_s, seconds],
  [labels.jitter_us, member.jitter_us, microseconds],
  [labels.drops, 'drops', count],
  [labels.retransmissions, 'retransmissions', count],
  [labels.tuning_risk_worst, `${member.tuning_risk}.worst`, signedPercent],
];

const VERDICTS = {
  'only in A': 'only in the baseline',
  'only in B': 'only in this report',
  [NONE]: 'none: intervals overlap',
};

function changeOf(row) {
  if (row.difference !== 'differs') return VERDICTS[row.difference] ?? row.difference;
  return isNumber(row.relative_change) ? signedPercent(row.relative_change) : 'from 0';
}

/** One row for each fabric and headline figure that both have, equal ones too. */
function headlineRows(fabrics) {
  return fabrics.flatMap((fabric) =>
    HEADLINES.map(([label, name, format]) => {
      const now = valueAt(fabric, name);
      const row = differences.get(`${fabric.name} ${name}`);
      if (!row && !isNumber(now)) return null;
      const then = row ? row.a : now;
      return [
        fabric.name,
        label,
        isNumber(then) ? format(then) : undefined,
        isNumber(now) ? format(now) : undefined,
        row ? changeOf(row) : 'equal',
      ];
    }).filter(Boolean),
  );
}

const FIGURES = [
  {name: 'Fabric'},
  {name: 'Figure'},
  {name: 'Baseline', number: true},
  {name: 'This report', number: true},
  {name: 'Difference', number: true},
];
const TEXTS = [{name: 'Fabric'}, {name: 'What'}, {name: 'Baseline'}, {name: 'This report'}];

const cut = (rows) => (rows.length > MOST_ROWS ? `, the first ${MOST_ROWS} of ${rows.length}` : '');
const numberOr = (value) => (isNumber(value) ? plain(value) : undefined);

function figuresTable(rows) {
  return table(
    `Figures that differ, in the units of the results, the largest change first${cut(rows)}`,
    FIGURES,
    rows.slice(0, MOST_ROWS).map((row) => [row.fabric, row.name, numberOr(row.a), numberOr(row.b), changeOf(row)]),
  );
}

function textsTable(caption, rows) {
  return table(
    `${caption}${cut(rows)}`,
    TEXTS,
    rows.slice(0, MOST_ROWS).map((row) => [row.fabric || 'all', row.name, row.a ?? 'absent', row.b ?? 'absent']),
  );
}

function onlyInOne(title, names, looks, comparison, texts) {
  return (
    names.length > 0 &&
    h(
      'p',
      {class: 'key'},
      `${title}: `,
      names.map((name, index) => {
        const own = comparison.fabrics.find((fabric) => fabric.name === name);
        return [index > 0 && ', ', own ? fabricName(own, looks) : name, texts(name)];
      }),
      '.',
    )
  );
}

export function againstBaseline(comparison, looks) {
  if (!baseline) return null;
  const {diff} = baseline;
  const named = (row) => row.fabric === '' || comparison.fabrics.some((fabric) => fabric.name === row.fabric);
  const shown = diff.fabrics_only_in_b.filter((name) => comparison.fabrics.some((fabric) => fabric.name === name));
  const both = possible(comparison).filter((fabric) => before.has(fabric.name));
  const [figures, settings, statements] = [diff.figures, diff.settings, diff.statements].map((rows) =>
    rows.filter(named),
  );
  const from = [baseline.scenario && `scenario ${baseline.scenario}`, baseline.version && `weft ${baseline.version}`];
  return section(
    'baseline',
    'Against the baseline',
    `The baseline is ${baseline.file}${from.some(Boolean) ? ` (${from.filter(Boolean).join(', ')})` : ''}. A change is relative to it: below zero this report has less. Figures whose confidence intervals overlap have no difference.`,
    onlyInOne('Only in the baseline', diff.fabrics_only_in_a, looks, comparison, (name) =>
      isNumber(before.get(name)?.[member.step_time_s])
        ? ` (step time ${seconds(before.get(name)[member.step_time_s])})`
        : '',
    ),
    onlyInOne('Only in this report', shown, looks, comparison, () => ''),
    both.length > 0 && table('Headline figures', FIGURES, headlineRows(both), {class: 'headlines'}),
    figures.length > 0 && details(`All figures that differ: ${count(figures.length)}`, () => figuresTable(figures)),
    settings.length > 0 &&
      details(`Settings that differ: ${count(settings.length)}`, () => textsTable('Settings that differ', settings)),
    statements.length > 0 &&
      details(`Statements that differ: ${count(statements.length)}`, () =>
        textsTable('Statements that differ', statements),
      ),
    figures.length + settings.length + statements.length === 0 &&
      h('p', {class: 'key'}, 'Nothing differs in the fabrics that both have.'),
  );
}
