// What other seeds, functions and fields of the hash would give.
import {axis, barNames, legend, legendHeight, makeChart, NARROW, tip, tooltip} from '../charts.js';
import {percent, significant} from '../format.js';
import {kindLook, symbolAt} from '../palette.js';
import {numbers} from '../section.js';

const nameOf = ({function: name, fields, scenario}) => `${name} of ${fields}${scenario ? ' (the scenario)' : ''}`;
const text = (load) => significant(load, 3);
const MARKS = [
  ['least', 'best seed'],
  ['p95', '95 of 100 seeds'],
  ['most', 'worst seed'],
];

function chartOf(id, variants) {
  const names = variants.map(nameOf);
  const shown = ['mean', ...MARKS.map(([, name]) => name)];
  const option = (theme, width) => ({
    legend: legend(theme, width, {data: shown}),
    grid: {left: 8, right: 24, top: legendHeight(shown, width) + 8, bottom: 38, containLabel: true},
    xAxis: axis(theme, {
      type: 'value',
      min: 0,
      name: 'load of the worst link, parts of its rate',
      nameLocation: 'middle',
      nameGap: 28,
    }),
    yAxis: barNames(theme, width, names, {
      axisLabel: {fontSize: 12, fontWeight: 400, ...(width < NARROW ? {} : {width: width / 3, overflow: 'break'})},
    }),
    tooltip: tooltip(theme, {
      trigger: 'item',
      formatter: ({dataIndex}) =>
        tip(names[dataIndex], [
          ['mean', text(variants[dataIndex].worst_load.mean)],
          ...MARKS.map(([key, name]) => [name, text(variants[dataIndex].worst_load[key])]),
        ]),
    }),
    series: [
      {
        name: 'mean',
        type: 'bar',
        barMaxWidth: width < NARROW ? 12 : 20,
        itemStyle: {color: kindLook('mean', 0, theme).color},
        data: variants.map(({worst_load: load}) => load.mean),
      },
      ...MARKS.map(([key, name], index) => ({
        name,
        type: 'scatter',
        symbol: symbolAt(index),
        symbolSize: 10,
        itemStyle: {color: kindLook(name, index + 1, theme).color, borderColor: theme.surface, borderWidth: 1},
        data: variants.map(({worst_load: load}, place) => [load[key], place]),
      })),
    ],
  });
  return makeChart({
    id,
    height: (width, onPaper) =>
      legendHeight(shown, width) + 56 + (onPaper ? 26 : width < NARROW ? 48 : 40) * variants.length,
    option,
    description: 'Load of the worst link over many seeds, for each function and choice of fields.',
  }).element;
}

export function choices(set, number) {
  if (set.variants.length === 0) return null;
  return [
    chartOf(`variants-${number}`, set.variants),
    numbers(
      'Functions and fields',
      [
        {name: 'Function and fields'},
        {name: 'Mean', number: true},
        ...MARKS.map(([, name]) => ({name, number: true})),
        {name: 'Seeds without a load above 1', number: true},
      ],
      () =>
        set.variants.map((variant) => [
          nameOf(variant),
          text(variant.worst_load.mean),
          ...MARKS.map(([key]) => text(variant.worst_load[key])),
          percent(variant.no_overload),
        ]),
    ),
  ];
}
