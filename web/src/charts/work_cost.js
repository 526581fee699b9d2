// What a unit of work costs with every fabric, and what of it: GPUs, hosts, the network, and running them.
import * as labels from 'weft:labels';
import * as member from 'weft:members';
import {baselineCost} from '../baseline.js';
import {NARROW, axis, barNames, legend, legendHeight, makeChart, roomFor, tip, tooltip} from '../charts.js';
import {possible} from '../comparison.js';
import {dollars, isNumber, percent, signedPercent} from '../format.js';
import {kindLook} from '../palette.js';
import {numbers} from '../section.js';
import {baselineMarks, whiskers} from './step_time.js';

const PARTS = [
  ['network', member.network_usd],
  ['beside the network', member.other_usd],
  ['hosts', member.hosts_usd],
  ['GPUs', member.gpus_usd],
  ['energy', member.energy_usd],
  ['upkeep', member.upkeep_usd],
  ['staff', member.staff_usd],
];

const costOf = (fabric) => fabric[member.work_cost];

/** What the percentages are of: fabrics whose steps do not differ count with one step. */
const rank = (fabric) => costOf(fabric)[member.to_recommended] ?? costOf(fabric).usd;

/** Fabrics with what their work costs, if anything, in the order of the recommendation. */
export const costed = (comparison) =>
  possible(comparison)
    .filter((fabric) => costOf(fabric)?.usd > 0)
    .sort((a, b) => rank(a) - rank(b) || costOf(a).usd - costOf(b).usd);

const partOf = (cost, name) => ((cost[name] ?? 0) / cost[member.total_usd]) * cost.usd;
const intervalOf = (cost) =>
  isNumber(cost[member.usd_low]) ? `${dollars(cost[member.usd_low])} to ${dollars(cost[member.usd_high])}` : undefined;
const against = (cost) =>
  isNumber(cost[member.to_recommended]) ? signedPercent(cost[member.to_recommended] - 1) : undefined;

export function workCostChart(fabrics) {
  const unit = costOf(fabrics[0]).unit;
  const shown = PARTS.filter(([, name]) => fabrics.some((fabric) => costOf(fabric)[name] > 0));
  const kinds = shown.map(([name]) => name);
  const textOf = (fabric, width) => [
    dollars(costOf(fabric).usd),
    ...(width >= NARROW && against(costOf(fabric)) ? [against(costOf(fabric))] : []),
  ];
  const option = (theme, width) => ({
    legend: legend(theme, width, {data: kinds}),
    grid: {
      left: 8,
      right: roomFor(fabrics.map((fabric) => textOf(fabric, width).join('  '))),
      top: legendHeight(kinds, width) + 8,
      bottom: 34,
      containLabel: true,
    },
    xAxis: axis(theme, {type: 'value', name: `USD for a ${unit}`, nameLocation: 'middle', nameGap: 28, min: 0}),
    yAxis: barNames(
      theme,
      width,
      fabrics.map((fabric) => fabric.name),
    ),
    tooltip: tooltip(theme, {
      trigger: 'item',
      formatter: ({seriesName, dataIndex}) => {
        const cost = costOf(fabrics[dataIndex]);
        const part = shown.find(([name]) => name === seriesName);
        return tip(fabrics[dataIndex].name, [
          part ? [seriesName, dollars(partOf(cost, part[1]))] : ['all', dollars(cost.usd)],
          part
            ? ['share', percent((cost[part[1]] ?? 0) / cost[member.total_usd])]
            : ['95 %', intervalOf(cost) ?? 'one seed'],
        ]);
      },
    }),
    series: [
      ...shown.map(([name, key], index) => {
        const look = kindLook(name, index, theme);
        return {
          name,
          type: 'bar',
          stack: 'cost',
          barMaxWidth: width < NARROW ? 18 : 30,
          itemStyle: {color: look.color, decal: look.decal, borderColor: theme.surface, borderWidth: 0.5},
          data: fabrics.map((fabric) => partOf(costOf(fabric), key)),
        };
      }),
      whiskers(
        'interval',
        fabrics.map((fabric, index) => [
          index,
          costOf(fabric)[member.usd_low] ?? NaN,
          costOf(fabric)[member.usd_high] ?? NaN,
        ]),
        theme,
        {
          encode: {x: [1, 2], y: 0},
          point: (api, value) => api.coord([api.value(value), api.value(0)]),
          across: (end) => [0, end],
        },
      ),
      baselineMarks(
        fabrics.map((fabric, index) => [baselineCost(fabric) ?? NaN, index]),
        theme,
      ),
      {
        name: 'text',
        type: 'scatter',
        symbolSize: 1,
        silent: true,
        tooltip: {show: false},
        itemStyle: {color: 'transparent'},
        data: fabrics.map((fabric, index) => [
          Math.max(costOf(fabric).usd, costOf(fabric)[member.usd_high] ?? 0, baselineCost(fabric) ?? 0),
          index,
        ]),
        label: {
          show: true,
          position: 'right',
          distance: 8,
          formatter: ({dataIndex}) => {
            const [value, more] = textOf(fabrics[dataIndex], width);
            return `{value|${value}}${more ? `  {ratio|${more}}` : ''}`;
          },
          rich: {value: {fontWeight: 700, color: theme.ink, fontSize: 13}, ratio: {color: theme.soft, fontSize: 12}},
        },
      },
    ],
  });
  return makeChart({
    id: 'work-cost',
    height: (width, onPaper) =>
      legendHeight(kinds, width) + 52 + (onPaper ? 26 : width < NARROW ? 44 : 40) * fabrics.length,
    option,
    description: `Stacked bars of what a ${unit} costs with each fabric; shorter is better.`,
  }).element;
}

export function workCostNumbers(fabrics) {
  const shown = PARTS.filter(([, name]) => fabrics.some((fabric) => costOf(fabric)[name] > 0));
  return numbers(
    `Cost of a ${costOf(fabrics[0]).unit}, and of the cluster over ${costOf(fabrics[0]).years} years`,
    [
      {name: 'Fabric'},
      {name: 'For a unit', number: true},
      {name: '95 % interval', number: true},
      {name: labels.work_cost_to_recommended, number: true},
      {name: 'Cluster', number: true},
      ...shown.map(([name]) => ({name, number: true})),
    ],
    () =>
      fabrics.map((fabric) => {
        const cost = costOf(fabric);
        return [
          fabric.name,
          dollars(cost.usd),
          intervalOf(cost),
          against(cost),
          dollars(cost[member.total_usd]),
          ...shown.map(([, name]) => (isNumber(cost[name]) ? dollars(cost[name]) : undefined)),
        ];
      }),
  );
}
