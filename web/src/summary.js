// The first two pages on paper: what to buy, in money, with one chart; what may go wrong, how sure it is, and of what it was said.
import * as labels from 'weft:labels';
import * as member from 'weft:members';
import {baseline, change} from './baseline.js';
import {costed} from './charts/work_cost.js';
import {intervalText} from './charts/step_time.js';
import {impossible, list, measured} from './comparison.js';
import {h, svg} from './dom.js';
import {NOT_MEASURED, dollars, isNumber, niceCeil, orNot, seconds, signedPercent, worded} from './format.js';
import {fabricName} from './marks.js';
import {recommended, risks} from './risks.js';
import {table} from './section.js';

const KINDS = {clear: 'clear', likely: 'likely, not certain', tie: 'a tie', only: 'no choice', none: 'none'};
const MOST_FABRICS = 14; // of the chart and the table
const WIDTH = 690;
const BAR = 17;
const NAMES = 170;
const VALUES = 110;

/** Bars with whiskers, drawn as they are printed: [{name, value, low, high, color}]. */
function barChart(title, rows, format) {
  const most = niceCeil(Math.max(...rows.flatMap((row) => [row.value, row.high ?? 0])));
  const x = (value) => NAMES + (value / most) * (WIDTH - NAMES - VALUES);
  const height = rows.length * (BAR + 11);
  return svg(
    'svg',
    {class: 'summary-chart', viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': title},
    rows.map((row, index) => {
      const top = index * (BAR + 11) + 5;
      const middle = top + BAR / 2;
      const end = Math.max(row.value, row.high ?? 0);
      return svg(
        'g',
        {},
        svg('text', {x: NAMES - 8, y: middle + 4, 'text-anchor': 'end', class: 'name'}, row.name),
        svg('rect', {x: NAMES, y: top, width: Math.max(1, x(row.value) - NAMES), height: BAR, fill: row.color}),
        isNumber(row.low) &&
          svg('path', {
            d: `M${x(row.low)} ${middle}H${x(row.high)}M${x(row.low)} ${middle - 4}v8M${x(row.high)} ${middle - 4}v8`,
            class: 'whisker',
          }),
        svg('text', {x: x(end) + 8, y: middle + 4}, format(row.value)),
      );
    }),
  );
}

const PAPER = {dark: false};

function chartOf(comparison, looks) {
  const color = (fabric) => looks.get(fabric.name).color(PAPER);
  const priced = costed(comparison).slice(0, MOST_FABRICS);
  if (priced.length > 0) {
    const title = `USD for a ${priced[0][member.work_cost].unit}, hosts and GPUs included; shorter is better`;
    const rows = priced.map((fabric) => ({
      name: fabric.name,
      value: fabric[member.work_cost].usd,
      low: fabric[member.work_cost][member.usd_low],
      high: fabric[member.work_cost][member.usd_high],
      color: color(fabric),
    }));
    return [h('h3', {}, title), barChart(title, rows, dollars)];
  }
  const timed = measured(comparison, (fabric) => fabric[member.step_time_s]).slice(0, MOST_FABRICS);
  if (timed.length === 0) return h('p', {class: 'absent'}, `Cost and step time: ${NOT_MEASURED}.`);
  const rows = timed.map((fabric) => ({
    name: fabric.name,
    value: fabric[member.step_time_s],
    low: fabric[member.step_time_low_s],
    high: fabric[member.step_time_high_s],
    color: color(fabric),
  }));
  return [h('h3', {}, 'Step time; shorter is better'), barChart('Step time', rows, seconds)];
}

function moneyTable(comparison, looks) {
  const priced = costed(comparison);
  const others = comparison.fabrics.filter((fabric) => fabric.possible && !priced.includes(fabric));
  const unit = priced[0]?.[member.work_cost].unit;
  const shown = [...priced, ...others].slice(0, MOST_FABRICS);
  if (shown.length === 0) return null;
  return table(
    unit ? `Money for a ${unit}, and what it rests on` : 'What was measured',
    [
      {name: 'Fabric'},
      {name: unit ? `For a ${unit}` : 'For a unit of work', number: true},
      {name: labels.work_cost_to_recommended, number: true},
      {name: labels.cost_usd, number: true},
      {name: 'Step time (95 %)'},
      ...(baseline ? [{name: 'Against the baseline: money, step time'}] : []),
    ],
    shown.map((fabric) => {
      const cost = fabric[member.work_cost];
      const ratio = cost?.[member.to_recommended];
      return [
        fabricName(fabric, looks),
        orNot(cost?.usd, dollars),
        isNumber(ratio) ? (ratio === 1 ? 'recommended' : signedPercent(ratio - 1)) : undefined,
        orNot(fabric[member.cost_usd], dollars),
        isNumber(fabric[member.step_time_s])
          ? `${seconds(fabric[member.step_time_s])}${intervalText(fabric) ? ` (${intervalText(fabric)})` : ''}`
          : undefined,
        ...(baseline
          ? [
              [change(fabric, `${member.work_cost}.usd`), change(fabric, member.step_time_s)]
                .filter(Boolean)
                .join('; ') || undefined,
            ]
          : []),
      ];
    }),
  );
}

function facts(comparison) {
  const {scenario = {}} = comparison;
  const seeds = list(scenario.seeds).length > 0 ? scenario.seeds.join(', ') : scenario.seed;
  return [
    ['Scenario', scenario.name],
    ['File', scenario.file],
    ['Job', scenario.job],
    ['Topology', scenario.topology],
    ['Hardware', scenario.hardware],
    ['Seeds', seeds],
    ['Weights', scenario.weights],
    ['Fabrics', comparison.fabrics.map((fabric) => fabric.name).join(', ')],
    [
      'Not possible',
      impossible(comparison)
        .map((fabric) => fabric.name)
        .join(', '),
    ],
    ['Baseline', baseline?.file],
    ['weft', comparison.version],
    ['Command', comparison.reproduce],
  ].filter(([, value]) => value !== undefined && value !== null && value !== '');
}

function sure(comparison) {
  const fabric = recommended(comparison);
  const own = comparison.recommendation;
  const said = [
    own ? `${worded(own.sure)}` : `A recommendation: ${NOT_MEASURED}.`,
    fabric &&
      intervalText(fabric) &&
      `The step time of ${fabric.name} is ${intervalText(fabric)} with 95 % confidence over the seeds.`,
    fabric &&
      (isNumber(fabric[member.composition_error])
        ? `Against a run of every packet, a smaller job is ${signedPercent(fabric[member.composition_error])} off (${fabric[member.composition_check] ?? 'measured'}).`
        : `The error of the composition of ${fabric.name}: ${NOT_MEASURED}${fabric[member.composition_check] ? ` (${worded(fabric[member.composition_check])})` : ''}.`),
  ];
  return said.filter(Boolean).map((text) => h('p', {}, text));
}

const block = (title, ...content) => h('div', {class: 'block'}, h('h2', {}, title), content);

export function summary({comparison, whole, looks, hidden}) {
  const own = whole.recommendation;
  const {scenario = {}} = whole;
  const date = new Date();
  const printed = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
  const points = list(own?.[member.turning_points]).map((point) => point.text);
  return h(
    'div',
    {class: 'summary', id: 'summary'},
    h(
      'div',
      {class: 'sheet'},
      h('p', {class: 'imprint'}, `weft ${whole.version ?? ''} · printed ${printed}`),
      h('h1', {}, scenario.name ?? 'Networks compared'),
      h('p', {class: 'job'}, [scenario.job, scenario.topology].filter(Boolean).join(' · ')),
      hidden,
      h(
        'div',
        {class: 'headline'},
        h('h2', {}, 'Recommendation'),
        h('p', {class: 'says'}, own ? worded(own.text) : `A recommendation: ${NOT_MEASURED}.`),
        own && h('p', {class: 'rests'}, h('span', {class: 'badge kind'}, KINDS[own.kind] ?? own.kind)),
      ),
      chartOf(comparison, looks),
      moneyTable(comparison, looks),
    ),
    h(
      'div',
      {class: 'sheet'},
      block(
        'Three risks',
        h(
          'ol',
          {class: 'risks'},
          risks(whole).map((risk) => h('li', {}, h('b', {}, `${risk.title}. `), risk.text)),
        ),
      ),
      block('How sure it is', sure(whole)),
      points.length > 0 &&
        block(
          'What would turn it round',
          h(
            'ul',
            {class: 'points'},
            points.slice(0, 4).map((text) => h('li', {}, worded(text))),
          ),
        ),
      block(
        'Of what it is said',
        h(
          'dl',
          {class: 'facts'},
          facts(whole).map(([name, value]) => [h('dt', {}, name), h('dd', {}, String(value))]),
        ),
      ),
    ),
  );
}
