// Cost against step time, and which fabrics no other one beats in both.
import * as member from 'weft:members';
import {axis, makeChart, tip, tooltip} from '../charts.js';
import {possible} from '../comparison.js';
import {dollars, isNumber, orNot, ratio, seconds, timeUnit, watts} from '../format.js';
import {absent, numbers, section} from '../section.js';
import {intervalText, whiskers} from './step_time.js';

const SIDE = 20; // pixels between marks side by side

/** Fabrics that none beats: nothing is both as cheap and as fast, and better in one of them. Cheapest first. */
export function paretoFront(fabrics) {
  const beats = (a, b) =>
    a[member.cost_usd] <= b[member.cost_usd] &&
    a[member.step_time_s] <= b[member.step_time_s] &&
    (a[member.cost_usd] < b[member.cost_usd] || a[member.step_time_s] < b[member.step_time_s]);
  return fabrics
    .filter((fabric) => !fabrics.some((other) => beats(other, fabric)))
    .sort((a, b) => a[member.cost_usd] - b[member.cost_usd] || a[member.step_time_s] - b[member.step_time_s]);
}

/** Fabrics that would lie on one another, as lists; `near(a, b)` says whether two do. */
export function clusters(fabrics, near) {
  const found = [];
  for (const fabric of fabrics) {
    const home = found.find((cluster) => cluster.some((other) => near(fabric, other)));
    if (home) home.push(fabric);
    else found.push([fabric]);
  }
  return found;
}

/** Whether the marks of two fabrics would touch, as shares of what the axes span. */
function nearIn(fabrics) {
  const span = (get) => {
    const values = fabrics.map(get);
    return Math.max(...values) - Math.min(...values) || Math.max(...values) || 1;
  };
  const width = span((fabric) => fabric[member.cost_usd]);
  const height = span((fabric) => fabric[member.step_time_s]);
  return (a, b) =>
    Math.abs(a[member.cost_usd] - b[member.cost_usd]) < 0.02 * width && Math.abs(a[member.step_time_s] - b[member.step_time_s]) < 0.05 * height;
}

export function cost(comparison, looks) {
  const fabrics = possible(comparison).filter((fabric) => isNumber(fabric[member.cost_usd]) && isNumber(fabric[member.step_time_s]));
  if (fabrics.length === 0)
    return absent('cost', 'Cost against step time', 'Cost and step time of one fabric together');
  const unit = timeUnit(Math.max(...fabrics.map((fabric) => fabric[member.step_time_s])));
  const thousands = (usd) => usd / 1000;
  const front = paretoFront(fabrics);
  const step = (fabric) => fabric[member.step_time_s] * unit.factor;
  const together = clusters(fabrics, nearIn(fabrics));
  const clusterOf = (fabric) => together.find((cluster) => cluster.includes(fabric));
  const narrow = (width) => width < 620;
  const option = (theme, width) => ({
    grid: {left: 44, right: narrow(width) ? 40 : 130, top: 24, bottom: 44, containLabel: true},
    xAxis: axis(theme, {
      type: 'value',
      name: 'network, thousand USD',
      nameLocation: 'middle',
      nameGap: 30,
      scale: true,
      boundaryGap: ['12%', '12%'],
    }),
    yAxis: axis(theme, {
      type: 'value',
      name: `step time, ${unit.name}`,
      nameLocation: 'middle',
      nameGap: 48,
      scale: true,
      boundaryGap: ['16%', '16%'],
    }),
    tooltip: tooltip(theme, {
      trigger: 'item',
      formatter: ({dataIndex}) =>
        tip(fabrics[dataIndex].name, [
          ['cost', dollars(fabrics[dataIndex][member.cost_usd])],
          ['step time', seconds(fabrics[dataIndex][member.step_time_s])],
          ['95 % interval', intervalText(fabrics[dataIndex]) ?? 'one seed'],
        ]),
    }),
    series: [
      {
        name: 'Pareto front',
        type: 'line',
        step: 'end',
        symbol: 'none',
        z: 1,
        data: front.map((fabric) => [thousands(fabric[member.cost_usd]), step(fabric)]),
        lineStyle: {color: theme.soft, type: [6, 4], width: 1.6},
        tooltip: {show: false},
        silent: true,
      },
      whiskers(
        'interval',
        fabrics.map((fabric) => [
          thousands(fabric[member.cost_usd]),
          (fabric[member.step_time_low_s] ?? NaN) * unit.factor,
          (fabric[member.step_time_high_s] ?? NaN) * unit.factor,
        ]),
        theme,
        {
          encode: {x: 0, y: [1, 2]},
          point: (api, value) => api.coord([api.value(0), api.value(value)]),
          across: (end) => [end, 0],
        },
      ),
      {
        name: 'fabrics',
        type: 'scatter',
        z: 4,
        symbolSize: 17,
        data: fabrics.map((fabric) => ({
          value: [thousands(fabric[member.cost_usd]), step(fabric)],
          name: fabric.name,
          symbol: looks.get(fabric.name).symbol,
          // Marks that would hide one another stand side by side, and the last bears all names.
          symbolOffset: [SIDE * clusterOf(fabric).indexOf(fabric), 0],
          label: {show: clusterOf(fabric).at(narrow(width) ? 0 : -1) === fabric},
          itemStyle: {
            opacity: 1,
            color: looks.get(fabric.name).color(theme),
            borderColor: front.includes(fabric) ? theme.ink : theme.surface,
            borderWidth: front.includes(fabric) ? 2 : 1,
          },
        })),
        label: {
          show: true,
          position: narrow(width) ? 'top' : 'right',
          distance: narrow(width) ? 6 : 10,
          color: theme.ink,
          fontSize: 12,
          backgroundColor: narrow(width) ? 'transparent' : theme.surface,
          padding: [2, 4],
          borderRadius: 4,
          formatter: ({dataIndex}) =>
            clusterOf(fabrics[dataIndex])
              .map(
                (fabric) =>
                  `{name|${fabric.name}}${front.includes(fabric) && !narrow(width) ? '\n{front|on the front}' : ''}`,
              )
              .join('\n'),
          rich: {
            name: {fontWeight: 700, color: theme.ink, fontSize: 12, lineHeight: 16},
            front: {color: theme.soft, fontSize: 11, lineHeight: 15},
          },
        },
        labelLayout: {moveOverlap: 'shiftY'},
      },
    ],
  });
  const chart = makeChart({
    id: 'cost',
    option,
    height: 420,
    description:
      'Cost of the network against step time; lower left is better. The dashed line joins the fabrics that none beats in both.',
  });
  return section(
    'cost',
    'Cost against step time',
    'Lower left is better. The dashed line is the Pareto front: to be faster than a fabric on it costs more. Prices are indicative; the bills of materials below say where each comes from.',
    chart.element,
    numbers(
      'Cost and step time',
      [
        {name: 'Fabric'},
        {name: 'Network', number: true},
        {name: 'Power', number: true},
        {name: 'Step time', number: true},
        {name: 'Against the best', number: true},
        {name: 'Pareto front'},
      ],
      fabrics.map((fabric) => [
        fabric.name,
        dollars(fabric[member.cost_usd]),
        orNot(fabric[member.power_w], watts),
        seconds(fabric[member.step_time_s]),
        orNot(fabric[member.ratio_to_best], ratio),
        front.includes(fabric) ? 'on it' : 'another is cheaper and no slower, or faster and no dearer',
      ]),
    ),
  );
}
