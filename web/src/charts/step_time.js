// The step time of every fabric as a bar, with its confidence interval.
import * as labels from 'weft:labels';
import * as member from 'weft:members';
import {baselineStep, change} from '../baseline.js';
import {NARROW, axis, barNames, makeChart, roomFor, tip, tooltip} from '../charts.js';
import {measured} from '../comparison.js';
import {h} from '../dom.js';
import {isNumber, plain, ratio, seconds, timeUnit} from '../format.js';
import {absent, numbers, section} from '../section.js';

const TITLE = 'Step time';

export const intervalText = (fabric) =>
  isNumber(fabric[member.step_time_low_s]) && isNumber(fabric[member.step_time_high_s])
    ? `${seconds(fabric[member.step_time_low_s])} to ${seconds(fabric[member.step_time_high_s])}`
    : undefined;

/** A whisker along one axis, for each [value, low, high] of the data. */
export function whiskers(name, data, theme, place) {
  return {
    name,
    type: 'custom',
    data,
    z: 5,
    silent: true,
    tooltip: {show: false},
    encode: place.encode,
    renderItem: (params, api) => {
      const [from, to] = [place.point(api, 1), place.point(api, 2)];
      if ([...from, ...to].some((value) => !Number.isFinite(value))) return null;
      const end = place.across(4);
      const style = {stroke: theme.ink, lineWidth: 1.6, fill: 'none'};
      const line = (x1, y1, x2, y2) => ({type: 'line', shape: {x1, y1, x2, y2}, style});
      return {
        type: 'group',
        children: [
          line(...from, ...to),
          ...[from, to].map(([x, y]) => line(x - end[0], y - end[1], x + end[0], y + end[1])),
        ],
      };
    },
  };
}

/** A mark at the value of the baseline, if there is one: for each bar [value, place]. */
export function baselineMarks(data, theme) {
  return {
    name: 'baseline',
    type: 'scatter',
    symbol: 'rect',
    symbolSize: [3, 34],
    z: 6,
    silent: true,
    tooltip: {show: false},
    itemStyle: {color: theme.surface, borderColor: theme.ink, borderWidth: 1.2},
    data: data.filter(([value]) => Number.isFinite(value)),
  };
}

export function stepTime(comparison, looks) {
  const fabrics = measured(comparison, (fabric) => fabric[member.step_time_s]);
  if (fabrics.length === 0) return absent('step-time', TITLE, 'The time of a training step');
  const unit = timeUnit(Math.max(...fabrics.map((fabric) => fabric[member.step_time_s])));
  const names = fabrics.map((fabric) => fabric.name);
  /** The figure behind a bar; how it compares with the best, where there is room. */
  const textOf = (fabric, width) => [
    seconds(fabric[member.step_time_s]),
    ...(isNumber(fabric[member.ratio_to_best]) && width >= NARROW ? [ratio(fabric[member.ratio_to_best])] : []),
  ];
  const option = (theme, width) => ({
    grid: {
      left: 8,
      right: roomFor(fabrics.map((fabric) => textOf(fabric, width).join('  '))),
      top: 12,
      bottom: 34,
      containLabel: true,
    },
    xAxis: axis(theme, {type: 'value', name: `step time, ${unit.name}`, nameLocation: 'middle', nameGap: 28, min: 0}),
    yAxis: barNames(theme, width, names),
    tooltip: tooltip(theme, {
      trigger: 'item',
      formatter: ({dataIndex}) =>
        tip(names[dataIndex], [
          ['step time', seconds(fabrics[dataIndex][member.step_time_s])],
          ['95 % interval', intervalText(fabrics[dataIndex]) ?? 'one seed'],
          ...(change(fabrics[dataIndex], member.step_time_s)
            ? [['change', change(fabrics[dataIndex], member.step_time_s)]]
            : []),
        ]),
    }),
    series: [
      {
        name: 'step time',
        type: 'bar',
        barMaxWidth: width < NARROW ? 18 : 30,
        itemStyle: {borderRadius: [0, 5, 5, 0]},
        data: fabrics.map((fabric) => ({
          value: fabric[member.step_time_s] * unit.factor,
          name: fabric.name,
          itemStyle: {color: looks.get(fabric.name).color(theme), decal: looks.get(fabric.name).decal(theme)},
        })),
      },
      whiskers(
        'interval',
        fabrics.map((fabric, index) => [
          index,
          (fabric[member.step_time_low_s] ?? NaN) * unit.factor,
          (fabric[member.step_time_high_s] ?? NaN) * unit.factor,
        ]),
        theme,
        {
          encode: {x: [1, 2], y: 0},
          point: (api, value) => api.coord([api.value(value), api.value(0)]),
          across: (end) => [0, end],
        },
      ),
      baselineMarks(
        fabrics.map((fabric, index) => [(baselineStep(fabric) ?? NaN) * unit.factor, index]),
        theme,
      ),
      {
        // Beyond the whisker and the baseline, so that none hides another.
        name: 'text',
        type: 'scatter',
        symbolSize: 1,
        silent: true,
        tooltip: {show: false},
        itemStyle: {color: 'transparent'},
        data: fabrics.map((fabric, index) => [
          Math.max(fabric[member.step_time_s], fabric[member.step_time_high_s] ?? 0, baselineStep(fabric) ?? 0) *
            unit.factor,
          index,
        ]),
        label: {
          show: true,
          position: 'right',
          distance: 8,
          formatter: ({dataIndex}) => {
            const fabric = fabrics[dataIndex];
            const [value, more] = textOf(fabric, width);
            return `{value|${value}}${more ? `  {ratio|${more}}` : ''}`;
          },
          rich: {value: {fontWeight: 700, color: theme.ink, fontSize: 13}, ratio: {color: theme.soft, fontSize: 12}},
        },
      },
    ],
  });
  const chart = makeChart({
    id: 'step-time',
    height: (width, onPaper) => 56 + (onPaper ? 28 : 46) * fabrics.length,
    option,
    description: 'Bars of the step time of each fabric; shorter is better.',
  });
  return section(
    'step-time',
    TITLE,
    'Time of one training step (of traffic without steps: from its start to its end); shorter is better. Whiskers are 95 % intervals: of seeds, slices and composition, as far as these are known. Two fabrics do not differ where the mean of one is within the interval of the other; where an interval reaches up much further than down, how long the step takes is not known.',
    chart.element,
    fabrics.some((fabric) => isNumber(baselineStep(fabric))) &&
      h('p', {class: 'key'}, 'The upright mark on a bar is the baseline.'),
    numbers(
      'Step time of each fabric',
      [
        {name: 'Fabric'},
        {name: 'Step time', number: true},
        {name: '95 % interval', number: true},
        {name: labels.ratio_to_best, number: true},
        {name: 'Each seed', number: true},
      ],
      () =>
        fabrics.map((fabric) => [
          fabric.name,
          seconds(fabric[member.step_time_s]),
          intervalText(fabric) ?? 'one seed',
          isNumber(fabric[member.ratio_to_best]) ? ratio(fabric[member.ratio_to_best]) : undefined,
          (fabric[member.step_times_s] ?? []).map((time) => plain(time * unit.factor)).join(', ') || undefined,
        ]),
    ),
  );
}
