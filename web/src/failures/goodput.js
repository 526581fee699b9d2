// What of a month does not become work that is kept, by cause, and how goodput falls as failures come more often.
import {NARROW, axis, barNames, legend, legendHeight, makeChart, roomFor, tip, tooltip} from '../charts.js';
import {h} from '../dom.js';
import {percent, significant} from '../format.js';
import {kindLook} from '../palette.js';
import {numbers, section} from '../section.js';

const CAUSES = [
  ['lost', 'work done again'],
  ['restarts', 'restarts'],
  ['checkpoints', 'checkpoints'],
  ['stalled', 'stalled'],
  ['slow', 'slow components'],
];
const DIGITS = 5;

const measured = (report) => report.networks.filter((network) => network.month);
const goodputText = ({month}) =>
  month.months_drawn === 0
    ? `${percent(month.goodput, DIGITS)} by formula`
    : `${percent(month.goodput, DIGITS)} ± ${significant(month.goodput_half_interval * 100, 2)}`;

function causes(networks) {
  const shown = CAUSES.filter(([key]) => networks.some(({month}) => month.time[key] > 0));
  const kinds = shown.map(([, name]) => name);
  const texts = networks.map(goodputText);
  const option = (theme, width) => ({
    legend: legend(theme, width, {data: kinds}),
    grid: {left: 8, right: roomFor(texts), top: legendHeight(kinds, width) + 8, bottom: 34, containLabel: true},
    xAxis: axis(theme, {
      type: 'value',
      name: 'time that is not kept, % of the month',
      nameLocation: 'middle',
      nameGap: 28,
      min: 0,
    }),
    yAxis: barNames(
      theme,
      width,
      networks.map(({name}) => name),
    ),
    tooltip: tooltip(theme, {
      trigger: 'item',
      formatter: ({seriesName, dataIndex}) => {
        const {name, month} = networks[dataIndex];
        const cause = CAUSES.find(([, text]) => text === seriesName);
        return tip(name, [
          cause ? [seriesName, percent(month.time[cause[0]])] : ['goodput', percent(month.goodput, DIGITS)],
        ]);
      },
    }),
    series: [
      ...shown.map(([key, name], index) => {
        const look = kindLook(name, index, theme);
        return {
          name,
          type: 'bar',
          stack: 'time',
          barMaxWidth: width < NARROW ? 18 : 30,
          itemStyle: {color: look.color, decal: look.decal, borderColor: theme.surface, borderWidth: 0.5},
          data: networks.map(({month}) => month.time[key] * 100),
        };
      }),
      {
        name: 'text',
        type: 'scatter',
        symbolSize: 1,
        silent: true,
        tooltip: {show: false},
        itemStyle: {color: 'transparent'},
        data: networks.map(({month}, index) => [(1 - month.goodput) * 100, index]),
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
    id: 'goodput',
    height: (width, onPaper) => 64 + legendHeight(kinds, width) + (onPaper ? 28 : 46) * networks.length,
    option,
    description: 'Bars of the time of a month that does not become work that is kept, by cause, for each network.',
  }).element;
}

function byRate(networks, looks) {
  const names = networks.map(({name}) => name);
  const option = (theme, width) => ({
    legend: legend(theme, width, {data: names, itemWidth: 34}),
    grid: {left: 34, right: 24, top: legendHeight(names, width, 34) + 10, bottom: 40, containLabel: true},
    xAxis: axis(theme, {
      type: 'log',
      logBase: 2,
      name: 'failures, times the rates (logarithmic)',
      nameLocation: 'middle',
      nameGap: 28,
    }),
    yAxis: axis(theme, {type: 'value', scale: true, name: 'goodput, %', nameLocation: 'middle', nameGap: 46}),
    tooltip: tooltip(theme, {
      trigger: 'item',
      formatter: ({seriesName, value}) =>
        tip(seriesName, [
          ['failures', `${significant(value[0])} times as often`],
          ['goodput', percent(value[1] / 100, DIGITS)],
        ]),
    }),
    series: networks.map(({name, month}) => {
      const look = looks.get(name);
      return {
        name,
        type: 'line',
        data: month.by_rate.map(({factor, goodput}) => [factor, goodput * 100]),
        symbol: look.symbol,
        symbolSize: 9,
        lineStyle: {width: 2.4, type: look.line, color: look.color(theme)},
        itemStyle: {color: look.color(theme)},
        emphasis: {focus: 'series'},
      };
    }),
  });
  return makeChart({
    id: 'goodput-by-rate',
    height: (width, onPaper) => (onPaper ? 215 : 320) + legendHeight(names, width, 34),
    option,
    description: 'Goodput of each network where failures come less or more often than the rates say.',
  }).element;
}

export function goodput(report, looks) {
  const networks = measured(report);
  if (networks.length === 0) return null;
  return section(
    'goodput',
    'Goodput of a month',
    'The share of the time that becomes work which is kept, months drawn by chance: mean and half of its 95 % interval stand behind the bars, which show what the rest of the time goes to.',
    causes(networks),
    h('h3', {}, 'If failures came less or more often'),
    byRate(networks, looks),
    numbers(
      'Goodput of each network',
      [
        {name: 'Network'},
        {name: 'Goodput, drawn', number: true},
        {name: 'By formula', number: true},
        {name: 'Losses of the job', number: true},
        ...CAUSES.map(([, name]) => ({name, number: true})),
      ],
      () =>
        networks.map(({name, month}) => [
          name,
          goodputText({month}),
          percent(month.goodput_formula, DIGITS),
          significant(month.interruptions_per_month, 3),
          ...CAUSES.map(([key]) => percent(month.time[key])),
        ]),
    ),
  );
}
