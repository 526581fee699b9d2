// How fast a job's communication is after each kind of failure: operation by operation, until it is repaired or lost.
import {axis, legend, legendHeight, makeChart, tip, tooltip} from '../charts.js';
import {h, slug} from '../dom.js';
import {isNumber, percent, seconds} from '../format.js';
import {details, section, table} from '../section.js';

const outcomeOf = (network, kind) => network.failures?.find((outcome) => outcome.kind === kind);
const after = (outcome) => (outcome?.timeline ?? []).filter(({at_s: at}) => at > 0);
const MOST_TICKS = 7;
/** What a line needs: an operation that ended, or the end of the job. */
const isDrawn = (outcome) => after(outcome).length > 0 || (outcome?.job_lost && outcome.lost_after_s > 0);

/** How a line ends: where the job is lost, or when the failure is repaired. */
function endOf(outcome) {
  if (outcome.job_lost) return [[outcome.lost_after_s, 0]];
  const last = after(outcome).at(-1)?.at_s ?? 0;
  return outcome.lasts_s > last && isNumber(outcome.speed_during)
    ? [[outcome.lasts_s, outcome.speed_during * 100]]
    : [];
}

function series(network, kind, look, theme, least) {
  const outcome = outcomeOf(network, kind);
  const points = after(outcome).map(({at_s: at, speed}) => [at, speed * 100]);
  const end = endOf(outcome);
  const first = (points[0] ?? end[0])[1];
  return {
    name: network.name,
    type: 'line',
    step: 'start', // the speed of an operation, over the time that it took
    data: [[least, first], ...points, ...end].map((value, index, all) => ({
      value,
      symbolSize: index === all.length - 1 ? 11 : index === 0 ? 0 : 5,
    })),
    symbol: look.symbol,
    showAllSymbol: true,
    lineStyle: {width: 2.4, type: look.line, color: look.color(theme)},
    itemStyle: {color: look.color(theme)},
    emphasis: {focus: 'series'},
  };
}

const STEPS = [[1, 1.2, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]];

/** Round times from `least` to `most`, some of each power of ten; of powers alone where there are many. */
function ticksBetween(least, most) {
  const first = Math.floor(Math.log10(least));
  const powers = Array.from({length: Math.ceil(Math.log10(most)) - first + 1}, (_, index) => first + index);
  const choices = STEPS.map((steps) =>
    powers
      .flatMap((power) => steps.map((step) => Number(`${step}e${power}`)))
      .filter((value) => value >= least && value <= most),
  );
  return choices.find((ticks) => ticks.length <= MOST_TICKS) ?? choices.at(-1);
}

function chartOf(kind, networks, looks) {
  const times = networks.flatMap((network) => {
    const outcome = outcomeOf(network, kind);
    return [...after(outcome).map(({at_s: at}) => at), ...endOf(outcome).map(([at]) => at)];
  });
  const least = Math.min(...times) / 1.5;
  const most = Math.max(...times) * 1.3;
  const ticks = ticksBetween(least, most);
  const names = networks.map(({name}) => name);
  const option = (theme, width) => ({
    legend: legend(theme, width, {data: names, itemWidth: 34}),
    grid: {left: 30, right: 30, top: legendHeight(names, width, 34) + 10, bottom: 40, containLabel: true},
    xAxis: axis(theme, {
      type: 'log',
      min: least,
      max: most,
      name: 'time since the failure (logarithmic)',
      nameLocation: 'middle',
      nameGap: 28,
      axisTick: {show: false, customValues: ticks},
      axisLabel: {formatter: (value) => seconds(value, 3), customValues: ticks},
    }),
    yAxis: axis(theme, {type: 'value', min: 0, name: 'speed, % of healthy', nameLocation: 'middle', nameGap: 40}),
    tooltip: tooltip(theme, {
      trigger: 'item',
      formatter: ({seriesName, value}) =>
        tip(seriesName, [
          ['until', `${seconds(value[0])} after the failure`],
          ['speed', percent(value[1] / 100)],
        ]),
    }),
    series: networks.map((network) => series(network, kind, looks.get(network.name), theme, least)),
  });
  return makeChart({
    id: `recovery-${slug(kind)}`,
    height: (width, onPaper) => (onPaper ? 190 : 260) + legendHeight(names, width, 34),
    option,
    description: `Speed of communication after a failure of the kind ${kind}, for each network.`,
  }).element;
}

const sentence = ({name}, outcome) => {
  if (outcome.reason) return `${name}: not measured (${outcome.reason}).`;
  const routes = isNumber(outcome.reroute_delay_s) ? ` Routes follow after ${seconds(outcome.reroute_delay_s)}.` : '';
  if (outcome.job_lost) return `${name}: the job is lost ${seconds(outcome.lost_after_s)} after the failure.${routes}`;
  const speed = `${percent(outcome.speed_during)} of its speed until it is repaired`;
  return `${name}: ${outcome.stall_s > 0 ? `stalls ${seconds(outcome.stall_s)}, then ` : ''}${speed}.${routes}`;
};

function ofKind(kind, report, looks) {
  const have = report.networks.filter((network) => outcomeOf(network, kind));
  const drawn = have.filter((network) => isDrawn(outcomeOf(network, kind)));
  return h(
    'div',
    {class: 'block whole'},
    h('h3', {}, kind),
    drawn.length > 0 && chartOf(kind, drawn, looks),
    h(
      'ul',
      {class: 'key'},
      have.map((network) => h('li', {}, sentence(network, outcomeOf(network, kind)))),
    ),
  );
}

const tableOf = (network) =>
  details(`Failures of ${network.name}`, () =>
    table(
      `Kinds of failure on ${network.name}`,
      [
        {name: 'Kind'},
        {name: 'Components', number: true},
        {name: 'FIT of each', number: true},
        {name: 'A month', number: true},
        {name: 'Made to fail'},
        {name: 'What happened'},
      ],
      network.failures.map((outcome) => [
        outcome.kind,
        String(outcome.count),
        String(Math.round(outcome.fit * 1000) / 1000),
        outcome.per_month.toPrecision(3),
        outcome.component || 'none',
        sentence({name: network.name}, outcome).replace(`${network.name}: `, ''),
      ]),
    ),
  );

export function recovery(report, looks) {
  const possible = report.networks.filter((network) => network.failures?.length > 0);
  const kinds = [...new Set(possible.flatMap((network) => network.failures.map(({kind}) => kind)))];
  const shown = kinds.filter((kind) => possible.some((network) => isDrawn(outcomeOf(network, kind))));
  if (possible.length === 0) return null;
  return section(
    'recovery',
    'After a failure',
    'Speed of a ring of collectives against a healthy one: each step of a line is one operation, as long as it took, and the last one goes on until the repair. A line that ends at zero is a job that is lost there.',
    shown.map((kind) => ofKind(kind, report, looks)),
    possible.map(tableOf),
    report.networks
      .filter((network) => !network.possible)
      .map((network) => h('p', {class: 'absent'}, `${network.name} is not possible: ${network.reason}.`)),
  );
}

/** Figures of a network that are no numbers in a chart. */
export const facing = (network) =>
  [
    `library ${network.library}`,
    network.uses_queue_pairs && `queue pairs: timeout ${network.ack_timeout}, ${network.retry_count} retries`,
    isNumber(network.watchdog_s) && `watchdog ${seconds(network.watchdog_s)}`,
    isNumber(network.reroute_delay_s)
      ? `routes follow after ${seconds(network.reroute_delay_s)}`
      : 'routes follow when the subnet manager has swept',
  ]
    .filter(Boolean)
    .join('; ');
