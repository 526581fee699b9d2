// Tuning risk: what plausible misconfigurations cost, sorted, for each fabric; and how that grows with the cluster.
import * as member from 'weft:members';
import {NARROW, axis, barNames, legend, legendHeight, makeChart, tip, tooltip, wrapped} from '../charts.js';
import {having, list} from '../comparison.js';
import {h, slug} from '../dom.js';
import {NOT_MEASURED, isNumber, niceCeil, orNot, percent, plain, signedPercent, worded} from '../format.js';
import {fabricName} from '../marks.js';
import {absent, numbers, section} from '../section.js';

const ROW = 36; // pixels, at least
const LINE = 15;

const ran = (fabric) =>
  list(fabric[member.tuning_risk].cases)
    .filter((item) => isNumber(item.loss))
    .sort((a, b) => b.loss - a.loss);
const refused = (fabric) => list(fabric[member.tuning_risk].cases).filter((item) => !isNumber(item.loss));
const nameOf = (item) => (item.fault ? `fault, no setting: ${item.setting}` : item.setting);
const labelOf = (item) => (item.change ? `${nameOf(item)} (${item.change})` : nameOf(item));

/** Pixels for the names of settings: beside the bars, or above them where there is little room. */
const labels = (width) => (width < NARROW ? width - 12 : Math.min(330, width * 0.44));

/** The lines of a label, each with its style. */
const linesOf = (item, width) => [
  ...wrapped(nameOf(item), labels(width)).map((text) => ['setting', text]),
  ...(item.change ? wrapped(item.change, labels(width), 11).map((text) => ['change', text]) : []),
];
const richText = (lines) => lines.map(([style, text]) => `{${style}|${text.replace(/[{}|]/g, ' ')}}`).join('\n');

/** Room above the bars: the label of the first may be taller than half of its row. */
const topOf = (items, width) =>
  width < NARROW ? Math.max(16, linesOf(items[0], width).length * LINE + 18 - rowHeight(items, width) / 2) : 6;

/** What a row of the chart takes, with all lines of the longest label. */
function rowHeight(items, width) {
  const lines = Math.max(0, ...items.map((item) => linesOf(item, width).length));
  return Math.max(ROW, lines * LINE + (width < NARROW ? 26 : 8));
}

function tornado(fabric, looks, most) {
  const items = ran(fabric);
  if (items.length === 0) return null;
  const look = looks.get(fabric.name);
  const line = (width) => ({align: width < NARROW ? 'left' : 'right', lineHeight: LINE});
  const option = (theme, width) => ({
    grid: {left: width < NARROW ? 8 : labels(width) + 16, right: 78, top: topOf(items, width), bottom: 40},
    xAxis: axis(theme, {
      type: 'value',
      name: 'step time lost, %',
      nameLocation: 'middle',
      nameGap: 26,
      min: most.low,
      max: most.high,
    }),
    yAxis: barNames(theme, width, items.map(labelOf), {
      axisLine: {onZero: width >= NARROW, lineStyle: {color: theme.soft}},
      axisLabel: {
        ...(width < NARROW ? {} : {margin: 10}),
        fontWeight: 400,
        formatter: (_, index) => richText(linesOf(items[index], width)),
        rich: {
          setting: {...line(width), color: theme.ink, fontSize: 12},
          change: {...line(width), color: theme.soft, fontSize: 11},
        },
      },
    }),
    tooltip: tooltip(theme, {
      trigger: 'item',
      formatter: ({dataIndex}) =>
        tip(items[dataIndex].setting, [
          ['change', items[dataIndex].change ?? '–'],
          ['step time lost', signedPercent(items[dataIndex].loss)],
        ]),
    }),
    series: [
      {
        name: 'step time lost',
        type: 'bar',
        barMaxWidth: width < NARROW ? 14 : 18,
        data: items.map((item) => item.loss * 100),
        itemStyle: {color: look.color(theme), decal: look.decal(theme), borderRadius: 2},
        label: {
          show: true,
          position: 'right',
          color: theme.ink,
          fontSize: 12,
          formatter: ({dataIndex}) => signedPercent(items[dataIndex].loss),
        },
      },
    ],
  });
  return makeChart({
    id: `tuning-${slug(fabric.name)}`,
    option,
    height: (width, onPaper) => 50 + topOf(items, width) + (rowHeight(items, width) - (onPaper ? 6 : 0)) * items.length,
    description: `Step time lost by misconfigurations of ${fabric.name}, the worst first.`,
  }).element;
}

export const worstText = (risk) =>
  risk[member.worst_fails] ? 'the job does not end' : orNot(risk.worst, signedPercent);

/** Misconfigurations without a figure, by their reason. */
function without(items) {
  const reasons = [...new Set(items.map((item) => item.reason ?? NOT_MEASURED))];
  return reasons.map((reason) => {
    const settings = items.filter((item) => (item.reason ?? NOT_MEASURED) === reason).map((item) => item.setting);
    return h('p', {class: 'key refused'}, `Without a figure (${worded(reason)}): ${settings.join('; ')}.`);
  });
}

function ofFabric(fabric, looks, most) {
  const left = refused(fabric);
  return h(
    'div',
    {class: 'block'},
    h('h3', {}, fabricName(fabric, looks)),
    h(
      'p',
      {class: 'lead'},
      `One mistake in each setting: ${orNot(fabric[member.tuning_risk].sum, signedPercent)} together; worst ${worstText(fabric[member.tuning_risk])}`,
      fabric[member.tuning_risk][member.worst_setting] ? `: ${fabric[member.tuning_risk][member.worst_setting]}.` : '.',
    ),
    tornado(fabric, looks, most),
    without(left),
  );
}

function bySize(comparison, looks) {
  const fabrics = having(comparison, (fabric) => fabric[member.tuning_risk]?.[member.by_size]);
  if (fabrics.length === 0) return null;
  const lines = fabrics.flatMap((fabric) => ['worst', 'median'].map((what) => ({fabric, what})));
  const sizes = [
    ...new Set(fabrics.flatMap((fabric) => fabric[member.tuning_risk][member.by_size].map((row) => row.gpus))),
  ].sort((a, b) => a - b);
  const names = lines.map(({fabric, what}) => `${fabric.name}, ${what}`);
  const option = (theme, width) => ({
    legend: legend(theme, width, {data: names, itemWidth: 34}),
    grid: {left: 30, right: 24, top: legendHeight(names, width, 34) + 10, bottom: 40, containLabel: true},
    xAxis: axis(theme, {type: 'category', name: 'GPUs', nameLocation: 'middle', nameGap: 28, data: sizes.map(plain)}),
    yAxis: axis(theme, {type: 'value', name: 'step time lost, %', nameLocation: 'middle', nameGap: 42}),
    tooltip: tooltip(theme, {
      trigger: 'item',
      formatter: ({seriesName, value}) =>
        tip(seriesName, [
          ['GPUs', plain(sizes[value[0]])],
          ['step time lost', percent(value[1] / 100)],
        ]),
    }),
    series: lines.map(({fabric, what}) => {
      const look = looks.get(fabric.name);
      return {
        name: `${fabric.name}, ${what}`,
        type: 'line',
        symbol: look.symbol,
        symbolSize: what === 'worst' ? 9 : 6,
        lineStyle: {
          color: look.color(theme),
          width: what === 'worst' ? 2.4 : 1.4,
          type: what === 'worst' ? 'solid' : [3, 4],
        },
        itemStyle: {color: look.color(theme)},
        data: fabric[member.tuning_risk][member.by_size]
          .filter((row) => isNumber(row[what]))
          .map((row) => [sizes.indexOf(row.gpus), row[what] * 100]),
      };
    }),
  });
  return [
    h('h3', {}, 'How it grows with the cluster'),
    makeChart({
      id: 'tuning-by-size',
      option,
      height: (width, onPaper) => (onPaper ? 190 : 270) + legendHeight(names, width, 34),
      description: 'Tuning risk against the number of GPUs, median and worst, for each fabric.',
    }).element,
    numbers(
      'Tuning risk by size',
      [
        {name: 'Fabric'},
        {name: 'GPUs', number: true},
        {name: 'Median', number: true},
        {name: 'Worst', number: true},
        {name: 'Worst setting'},
      ],
      () =>
        fabrics.flatMap((fabric) =>
          fabric[member.tuning_risk][member.by_size].map((row) => [
            fabric.name,
            plain(row.gpus),
            orNot(row.median, signedPercent),
            worstText(row),
            row[member.worst_setting] ?? '',
          ]),
        ),
    ),
  ];
}

export function tuning(comparison, looks) {
  const fabrics = having(comparison, (fabric) => fabric[member.tuning_risk]?.cases);
  if (fabrics.length === 0) return absent('tuning', 'Tuning risk', 'What misconfigurations cost');
  const losses = fabrics.flatMap((fabric) => ran(fabric).map((item) => item.loss));
  const most = {high: niceCeil(Math.max(0.01, ...losses) * 100), low: -niceCeil(-Math.min(0, ...losses) * 100)};
  return section(
    'tuning',
    'Tuning risk',
    'How much step time a plausible mistake in the settings costs, measured on a slice of the job, the worst first. All fabrics have the same scale.',
    fabrics.map((fabric) => ofFabric(fabric, looks, most)),
    numbers(
      'Misconfigurations',
      [
        {name: 'Fabric'},
        {name: 'Setting'},
        {name: 'Change'},
        {name: 'Step time lost', number: true},
        {name: 'Without a figure because'},
      ],
      () =>
        fabrics.flatMap((fabric) =>
          [...ran(fabric), ...refused(fabric)].map((item) => [
            fabric.name,
            item.setting,
            item.change ?? '',
            orNot(item.loss, signedPercent),
            item.reason ?? '',
          ]),
        ),
    ),
    bySize(comparison, looks),
  );
}
