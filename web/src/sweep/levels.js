// A figure over the values of each key: every point as a dot, the means of levels joined by a line.
import {axis, makeChart, tip, tooltip} from '../charts.js';
import {h, slug} from '../dom.js';
import {isNumber, niceCeil, significant} from '../format.js';
import {formatOf, shortNames} from './figures.js';

const HEIGHT = 240;
const MARGIN = 0.06; // of the span of values, above and below

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Axis values of one figure, the same for all keys, so that steep lines are large effects. */
function span(points, name) {
  const values = points.map((point) => point[name].mean);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low || Math.abs(high) || 1) * MARGIN;
  return {min: low >= 0 ? Math.max(0, low - room) : low - room, max: high + room};
}

function chartOf({sweep, figure, points, index, name}) {
  const key = sweep.keys[index];
  const format = formatOf(figure);
  const isRange = key.from !== undefined;
  const place = (point) => point.at[index];
  const dots = points.map((point) => [place(point), point[figure.figure].mean]);
  const levels = isRange
    ? []
    : key.values.map((_, level) => {
        const own = dots.filter(([at]) => at === level).map(([, value]) => value);
        return own.length > 0 ? [level, mean(own)] : [level, NaN];
      });
  const limits = span(points, figure.figure);
  const option = (theme) => ({
    grid: {left: 8, right: 18, top: 14, bottom: 30, containLabel: true},
    xAxis: axis(
      theme,
      isRange
        ? {
            type: 'value',
            min: -1,
            max: 1,
            interval: 2,
            name: key.spacing === 'log' ? 'logarithmic' : 'even',
            nameLocation: 'middle',
            nameGap: 14,
            splitLine: {show: false},
            axisLabel: {formatter: (at) => (at < 0 ? key.from : key.to), hideOverlap: false},
          }
        : {type: 'category', data: key.values, boundaryGap: true, splitLine: {show: false}, axisLabel: {rotate: 0}},
    ),
    yAxis: axis(theme, {
      type: 'value',
      ...limits,
      axisLabel: {formatter: (value) => shortText(format, value), showMinLabel: false, showMaxLabel: false},
    }),
    tooltip: tooltip(theme, {
      trigger: 'item',
      formatter: ({seriesName, dataIndex, value}) =>
        seriesName === 'point'
          ? tip(points[dataIndex].point, [[figure.figure, format(value[1])]])
          : tip(`${name} ${key.values[value[0]]}`, [[`mean ${figure.figure}`, format(value[1])]]),
    }),
    series: [
      {
        name: 'point',
        type: 'scatter',
        data: dots,
        symbolSize: 7,
        itemStyle: {color: theme.dark ? '#6ea8fe' : '#2563eb', opacity: 0.45},
        z: 2,
      },
      {
        name: 'mean',
        type: 'line',
        data: levels.filter(([, value]) => Number.isFinite(value)),
        symbol: 'diamond',
        symbolSize: 11,
        lineStyle: {color: theme.ink, width: 2},
        itemStyle: {color: theme.ink},
        z: 3,
      },
    ],
  });
  const {element} = makeChart({
    id: `levels-${slug(figure.figure)}-${index}`,
    height: HEIGHT,
    option,
    half: true,
    description: `${figure.figure} at the values of ${key.key}.`,
  });
  return h('div', {class: 'small-chart'}, h('h4', {title: key.key}, name), element);
}

/** Three digits are enough along an axis. */
const shortText = (format, value) =>
  format(value).replace(/^([\d.,−]+)/, (digits) => significant(Number(digits.replace(/,/g, '').replace('−', '-')), 3));

export function levelsOf(sweep, figure) {
  const points = sweep.points.filter((point) => isNumber(point[figure.figure]?.mean));
  if (points.length < 2) return null;
  const names = shortNames(sweep.keys);
  return h(
    'div',
    {class: 'small-charts'},
    names.map((name, index) => chartOf({sweep, figure, points, index, name})),
  );
}
