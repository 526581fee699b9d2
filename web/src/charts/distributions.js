// Distributions of flow completion times and of the latency of small messages.
import * as member from 'weft:members';
import {axis, legend, legendHeight, makeChart, tip, tooltip} from '../charts.js';
import {having} from '../comparison.js';
import {h} from '../dom.js';
import {isNumber, microseconds, orNot, percent, tick} from '../format.js';
import {absent, absentPart, numbers, section} from '../section.js';

const MARKS = 25; // on a curve

const WIDE = 30; // times the smallest value: from there on a logarithmic scale
const FINE = 2000; // times the smallest value: from there on powers of ten are marked, below it powers of two
const MOST_POINTS = 200; // drawn of a curve
const TAIL = 40; // of them, the last ones as they are

/** The curve, or of a very fine one every so many points and the tail whole. */
export function thinned(curve) {
  if (curve.length <= MOST_POINTS) return curve;
  const step = Math.ceil((curve.length - TAIL) / (MOST_POINTS - TAIL));
  return curve.filter((_, index) => index % step === 0 || index >= curve.length - TAIL);
}

/** The smallest value that at least `share` of all do not exceed. */
const quantile = (curve, share) => curve.find(([, reached]) => reached >= share - 1e-12)?.[0];

function curves({id, name, fabrics, get, looks, given}) {
  const values = fabrics.flatMap((fabric) => get(fabric).map(([us]) => us)).filter((us) => us > 0);
  const [least, most] = values.reduce(([low, high], us) => [Math.min(low, us), Math.max(high, us)], [Infinity, 0]);
  const scale =
    most / least < WIDE
      ? {type: 'value', scale: true, ...(least < most / 2 ? {min: 0} : {}), name: `${name}, µs`}
      : {
          type: 'log',
          logBase: most / least < FINE ? 2 : 10,
          name: `${name}, µs (logarithmic)`,
          min: least / 1.15,
          max: most * 1.15,
        };
  const names = fabrics.map((fabric) => fabric.name);
  const option = (theme, width) => ({
    legend: legend(theme, width, {data: names, itemWidth: 34}),
    grid: {left: 30, right: 24, top: legendHeight(names, width, 34) + 10, bottom: 40, containLabel: true},
    xAxis: axis(theme, {
      ...scale,
      nameLocation: 'middle',
      nameGap: 28,
      axisLabel: {
        ...(scale.type === 'log' ? {showMinLabel: false, showMaxLabel: false} : {}),
        formatter: tick,
      },
    }),
    yAxis: axis(theme, {
      type: 'value',
      min: 0,
      max: 100,
      name: 'share of messages, %',
      nameLocation: 'middle',
      nameGap: 40,
    }),
    tooltip: tooltip(theme, {
      trigger: 'item',
      formatter: ({seriesName, value}) =>
        tip(seriesName, [
          ['within', microseconds(value[0])],
          ['share', percent(value[1] / 100, 4)],
        ]),
    }),
    series: fabrics.map((fabric) => {
      const look = looks.get(fabric.name);
      const curve = thinned(get(fabric));
      return {
        name: fabric.name,
        type: 'line',
        step: 'end',
        data: curve.map(([us, share]) => [us, share * 100]),
        symbol: look.symbol,
        showSymbol: true,
        symbolSize: (value, {dataIndex}) =>
          dataIndex % Math.ceil(curve.length / MARKS) === 0 || dataIndex === curve.length - 1 ? 7 : 0,
        lineStyle: {width: 2.4, type: look.line, color: look.color(theme)},
        itemStyle: {color: look.color(theme)},
        emphasis: {focus: 'series'},
      };
    }),
  });
  const chart = makeChart({
    id,
    option,
    zoom: 'x',
    half: true,
    height: (width, onPaper) => (onPaper ? 215 : 340) + legendHeight(names, width, 34),
    description: `Cumulative distribution of ${name} for each fabric; further left is faster.`,
  });
  const figures = (fabric) => [0.5, 0.9, 0.99, 0.999].map((share) => orNot(quantile(get(fabric), share), microseconds));
  return h(
    'div',
    {class: 'block whole'},
    h('h3', {}, name[0].toUpperCase() + name.slice(1)),
    chart.element,
    numbers(
      `Distribution of ${name}`,
      [
        {name: 'Fabric'},
        ...['50 %', '90 %', '99 %', '99.9 %'].map((text) => ({name: text, number: true})),
        {name: 'Said by the run: 50 %, 99 %, 99.9 %', number: true},
      ],
      () => fabrics.map((fabric) => [fabric.name, ...figures(fabric), given(fabric)]),
    ),
  );
}

const said = (values) =>
  values.some(isNumber) ? values.map((value) => orNot(value, microseconds)).join(', ') : undefined;

export function distributions(comparison, looks) {
  const flows = having(comparison, (fabric) => fabric.cdf?.fct);
  const small = having(comparison, (fabric) => fabric.cdf?.[member.small_message]);
  if (flows.length + small.length === 0)
    return absent('distributions', 'Latency', 'Distributions of completion times and latencies');
  return section(
    'distributions',
    'Latency',
    'How many messages are done within a time: a curve further to the left is faster, a long tail to 100 % is a heavy tail.',
    h(
      'div',
      {class: 'pairs'},
      flows.length > 0
        ? curves({
            id: 'fct',
            name: 'flow completion time',
            fabrics: flows,
            get: (fabric) => fabric.cdf.fct,
            looks,
            given: (fabric) =>
              said([fabric[member.fct_us]?.p50, fabric[member.fct_us]?.p99, fabric[member.fct_us]?.p999]),
          })
        : absentPart('Flow completion times'),
      small.length > 0
        ? curves({
            id: 'small-message',
            name: 'latency of small messages',
            fabrics: small,
            get: (fabric) => fabric.cdf[member.small_message],
            looks,
            given: (fabric) =>
              said([
                fabric[member.small_message]?.[member.loaded_p50_us],
                fabric[member.small_message]?.[member.loaded_p99_us],
                fabric[member.small_message]?.[member.loaded_p999_us],
              ]),
          })
        : absentPart('The latency of small messages'),
    ),
  );
}
