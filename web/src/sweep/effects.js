// What each key, and each two of them together, change of a figure: bars with their intervals.
import {NARROW, axis, barNames, makeChart, roomFor, tip, tooltip} from '../charts.js';
import {whiskers} from '../charts/step_time.js';
import {h, slug} from '../dom.js';
import {isNumber, percent} from '../format.js';
import {numbers} from '../section.js';
import {formatOf, shortNames} from './figures.js';

const MOST_PAIRS = 10; // those with the largest effect; the table has all

/** What is known of an effect: its sentence, and its look. */
const VERDICTS = {
  matters: {says: 'matters', pair: ['#2563eb', '#6ea8fe'], decal: null},
  'not-known': {
    says: 'not known',
    pair: ['#d97706', '#fbbf24'],
    decal: {symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [1.5, 5], rotation: -Math.PI / 4},
  },
  'does-not-matter': {
    says: 'does not matter',
    pair: ['#7b889b', '#8593a8'],
    decal: {symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [1.5, 5], rotation: 0},
  },
};

function rowsOf(sweep, figure) {
  const names = new Map(shortNames(sweep.keys).map((name, index) => [sweep.keys[index].key, name]));
  const row = (effect) => ({
    effect,
    name: effect.keys.map((key) => names.get(key)).join(' × '),
    verdict: VERDICTS[effect.verdict],
    share: effect.effect / figure.mean,
    low: isNumber(effect.low) ? effect.low / figure.mean : NaN,
    high: isNumber(effect.high) ? effect.high / figure.mean : NaN,
  });
  const largest = (a, b) => b.share - a.share;
  const main = figure.effects.map(row).sort(largest);
  const pairs = figure.interactions.map(row).sort(largest);
  return {shown: [...main, ...pairs.slice(0, MOST_PAIRS)], all: [...main, ...pairs]};
}

const interval = (row) =>
  Number.isFinite(row.low) ? `${percent(Math.max(row.low, 0))} to ${percent(row.high)}` : undefined;

function chartOf(sweep, figure, rows) {
  const format = formatOf(figure);
  const texts = rows.map((row) => percent(row.share));
  const option = (theme, width) => ({
    grid: {left: 8, right: roomFor(texts), top: width < NARROW ? 18 : 8, bottom: 34, containLabel: true},
    xAxis: axis(theme, {
      type: 'value',
      name: 'highest less lowest, % of the mean',
      nameLocation: 'middle',
      nameGap: 28,
      min: 0,
    }),
    yAxis: barNames(
      theme,
      width,
      rows.map((row) => row.name),
      {axisLabel: {fontWeight: 500, fontSize: 12}},
    ),
    tooltip: tooltip(theme, {
      trigger: 'item',
      formatter: ({dataIndex}) => {
        const row = rows[dataIndex];
        return tip(row.name, [
          ['effect', `${format(row.effect.effect)}, ${percent(row.share)} of the mean`],
          ['95 % interval', interval(row) ?? 'one seed'],
          ['lowest at', row.effect.lowest_at.join(', ')],
          ['highest at', row.effect.highest_at.join(', ')],
          ['verdict', row.verdict.says],
        ]);
      },
    }),
    series: [
      {
        name: 'effect',
        type: 'bar',
        barMaxWidth: width < NARROW ? 14 : 20,
        data: rows.map((row) => ({
          value: row.share * 100,
          itemStyle: {
            color: row.verdict.pair[theme.dark ? 1 : 0],
            borderRadius: [0, 4, 4, 0],
            decal: row.verdict.decal && {...row.verdict.decal, color: theme.surface},
          },
        })),
      },
      whiskers(
        'interval',
        rows.map((row, index) => [index, Math.max(row.low, 0) * 100, row.high * 100]),
        theme,
        {
          encode: {x: [1, 2], y: 0},
          point: (api, value) => api.coord([api.value(value), api.value(0)]),
          across: (end) => [0, end],
        },
      ),
      {
        name: 'text',
        type: 'scatter',
        symbolSize: 1,
        silent: true,
        tooltip: {show: false},
        itemStyle: {color: 'transparent'},
        data: rows.map((row, index) => [Math.max(row.share, Number.isFinite(row.high) ? row.high : 0) * 100, index]),
        label: {
          show: true,
          position: 'right',
          distance: 8,
          color: theme.ink,
          fontWeight: 600,
          formatter: ({dataIndex}) => texts[dataIndex],
        },
      },
    ],
  });
  return makeChart({
    id: `effects-${slug(figure.figure)}`,
    height: (width, onPaper) => 60 + (onPaper ? 24 : width < NARROW ? 42 : 34) * rows.length,
    option,
    description: `Bars of what each key changes of ${figure.figure}, the largest first, then two keys together.`,
  }).element;
}

/** "Does not matter: a, b." for each verdict that some key has. */
function sentences(rows) {
  const of = (says) => rows.filter((row) => row.verdict.says === says).map((row) => row.name);
  const line = (before, names) => names.length > 0 && h('p', {class: 'key'}, `${before}: ${names.join(', ')}.`);
  return [
    line('Matter (plain bars)', of('matters')),
    line('Not known with these seeds and points (bars with slanted lines)', of('not known')),
    line('Do not matter (bars with level lines)', of('does not matter')),
  ];
}

export function effectsOf(sweep, figure) {
  if (figure.no_effects) return h('p', {class: 'absent'}, `Effects are not known: ${figure.no_effects}.`);
  const {shown, all} = rowsOf(sweep, figure);
  const format = formatOf(figure);
  return [
    chartOf(sweep, figure, shown),
    sentences(all.filter((row) => row.effect.keys.length === 1)),
    numbers(
      `Effects on ${figure.figure}`,
      [
        {name: 'Key'},
        {name: 'Effect', number: true},
        {name: 'Of the mean', number: true},
        {name: '95 % interval', number: true},
        {name: 'Lowest at'},
        {name: 'Highest at'},
        {name: 'Share of the variance', number: true},
        {name: 'Verdict'},
      ],
      () =>
        all.map((row) => [
          row.name,
          format(row.effect.effect),
          percent(row.share),
          interval(row) ?? 'one seed',
          row.effect.lowest_at.join(', '),
          row.effect.highest_at.join(', '),
          percent(row.effect.variance_share),
          row.verdict.says,
        ]),
    ),
  ];
}
