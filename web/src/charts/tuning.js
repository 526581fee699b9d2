// Tuning risk: what plausible misconfigurations cost, sorted, for each fabric; and how that grows with the cluster.
import * as member from 'weft:members';
import {axis, legend, makeChart, tip, tooltip} from '../charts.js';
import {having, list} from '../comparison.js';
import {h, slug} from '../dom.js';
import {isNumber, niceCeil, orNot, percent, plain, signedPercent} from '../format.js';
import {fabricName} from '../marks.js';
import {absent, numbers, section} from '../section.js';

const ROW = 36;

const ran = (fabric) =>
  list(fabric[member.tuning_risk].cases)
    .filter((item) => isNumber(item.loss))
    .sort((a, b) => b.loss - a.loss);
const refused = (fabric) => list(fabric[member.tuning_risk].cases).filter((item) => !isNumber(item.loss));
const labelOf = (item) => (item.change ? `${item.setting} (${item.change})` : item.setting);

/** Pixels for the names of settings. */
const labels = (width) => Math.min(330, width * 0.44);
const line = (width) => ({width: labels(width), overflow: 'truncate', ellipsis: '…', align: 'right', lineHeight: 16});

function tornado(fabric, looks, most) {
  const items = ran(fabric);
  if (items.length === 0) return null;
  const look = looks.get(fabric.name);
  const option = (theme, width) => ({
    grid: {left: labels(width) + 16, right: 78, top: 6, bottom: 40},
    xAxis: axis(theme, {
      type: 'value',
      name: 'step time lost, %',
      nameLocation: 'middle',
      nameGap: 26,
      min: most.low,
      max: most.high,
    }),
    yAxis: axis(theme, {
      type: 'category',
      inverse: true,
      data: items.map(labelOf),
      splitLine: {show: false},
      axisLine: {onZero: true, lineStyle: {color: theme.soft}},
      axisLabel: {
        color: theme.ink,
        interval: 0,
        hideOverlap: false,
        margin: 10,
        formatter: (_, index) => `{setting|${items[index].setting}}\n{change|${items[index].change ?? ''}}`,
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
        barMaxWidth: 18,
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
    height: 52 + ROW * items.length,
    description: `Step time lost by misconfigurations of ${fabric.name}, the worst first.`,
  }).element;
}

export const worstText = (risk) => (risk[member.worst_fails] ? 'the job does not end' : orNot(risk.worst, signedPercent));

function ofFabric(fabric, looks, most) {
  const left = refused(fabric);
  return h(
    'div',
    {class: 'block'},
    h('h3', {}, fabricName(fabric, looks)),
    h(
      'p',
      {class: 'lead'},
      `Median ${orNot(fabric[member.tuning_risk].median, signedPercent)}, worst ${worstText(fabric[member.tuning_risk])}`,
      fabric[member.tuning_risk][member.worst_setting] ? `: ${fabric[member.tuning_risk][member.worst_setting]}.` : '.',
    ),
    tornado(fabric, looks, most),
    left.length > 0 &&
      h(
        'p',
        {class: 'key'},
        'Without a figure: ',
        left.map((item) => `${labelOf(item)}: ${item.reason ?? 'not measured'}`).join('; '),
      ),
  );
}

function bySize(comparison, looks) {
  const fabrics = having(comparison, (fabric) => fabric[member.tuning_risk]?.[member.by_size]);
  if (fabrics.length === 0) return null;
  const lines = fabrics.flatMap((fabric) => ['worst', 'median'].map((what) => ({fabric, what})));
  const sizes = [...new Set(fabrics.flatMap((fabric) => fabric[member.tuning_risk][member.by_size].map((row) => row.gpus)))].sort(
    (a, b) => a - b,
  );
  const option = (theme) => ({
    legend: legend(theme, {data: lines.map(({fabric, what}) => `${fabric.name}, ${what}`), itemWidth: 34}),
    grid: {left: 44, right: 24, top: 24 + 24 * Math.ceil(fabrics.length / 2), bottom: 40, containLabel: true},
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
      height: 340,
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
