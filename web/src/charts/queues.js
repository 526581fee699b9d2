// Queues over time, and below on the same clock how long each port was held by pauses or missing credits.
import * as member from 'weft:members';
import {axis, legend, legendHeight, makeChart, tip, tooltip} from '../charts.js';
import {having, list} from '../comparison.js';
import {clockNote} from '../slices.js';
import {h} from '../dom.js';
import {bytes, isNumber, seconds, timeUnit} from '../format.js';
import {kindLook, lineAt, symbolAt} from '../palette.js';
import {absent, opening, section, select, table} from '../section.js';

const MOST_PORTS = 8;
const MOST_PATTERNS = 50; // instants; with more of them bars are too narrow for a pattern

const heights = (onPaper) => (onPaper ? {queue: 120, held: 55} : {queue: 210, held: 90}); // pixels of the two parts

const peak = (queue) => Math.max(0, ...list(queue.bytes));
const held = (queue) => list(queue.held_s).reduce((total, value) => total + value, 0);

function byteUnit(largest) {
  if (largest >= 2 ** 20) return {factor: 1 / 2 ** 20, name: 'MiB'};
  return largest >= 2 ** 10 ? {factor: 1 / 2 ** 10, name: 'KiB'} : {factor: 1, name: 'B'};
}

/** Whether a port of the fabric was held at all. */
const isHeld = (fabric) => fabric.queues.some((queue) => held(queue) > 0);

const fullest = (fabric) =>
  [...fabric.queues].sort((a, b) => peak(b) - peak(a) || held(b) - held(a)).slice(0, MOST_PORTS);
const portsOf = (fabric) => fullest(fabric).map((queue) => queue.port);

/** Where the axis of time begins: at zero, or at the first instant if nothing was looked at for long before it. */
function beginOf(queues) {
  const first = Math.min(...queues.map((queue) => queue.at_s[0] ?? 0));
  const last = Math.max(...queues.map((queue) => queue.at_s.at(-1) ?? 0));
  return first > 0.15 * last && first < last ? first : 0;
}

function optionOf(fabric) {
  const queues = fullest(fabric);
  const time = timeUnit(Math.max(...queues.map((queue) => queue.at_s.at(-1) ?? 0)));
  const size = byteUnit(Math.max(...queues.map(peak)));
  const holds = timeUnit(Math.max(1e-9, ...queues.map((queue) => Math.max(0, ...list(queue.held_s)))));
  const anyHeld = isHeld(fabric);
  const longest = Math.max(...queues.map((queue) => queue.at_s.at(-1) ?? 0)) * time.factor;
  return (theme, width, onPaper) => {
    const ports = portsOf(fabric);
    const top = legendHeight(ports, width, 34) + 12;
    const left = 66;
    const common = {left, right: 20};
    return {
      legend: legend(theme, width, {data: ports, itemWidth: 34}),
      grid: [
        {...common, top, height: heights(onPaper).queue},
        {...common, top: top + heights(onPaper).queue + 52, height: heights(onPaper).held},
      ],
      xAxis: [0, 1].map((index) =>
        axis(theme, {
          type: 'value',
          gridIndex: index,
          min: beginOf(queues) * time.factor,
          max: longest,
          containShape: false,
          axisLabel: {showMaxLabel: false},
          name: index === 1 || !anyHeld ? `time, ${time.name}` : '',
          nameLocation: 'middle',
          nameGap: 28,
        }),
      ),
      yAxis: [
        axis(theme, {type: 'value', gridIndex: 0, name: `queue, ${size.name}`, nameLocation: 'middle', nameGap: 48}),
        axis(theme, {
          type: 'value',
          gridIndex: 1,
          name: `held, ${holds.name}`,
          nameLocation: 'middle',
          nameGap: 48,
          splitNumber: 2,
          show: anyHeld,
        }),
      ],
      tooltip: tooltip(theme, {
        trigger: 'item',
        formatter: ({seriesName, seriesIndex, value}) =>
          tip(seriesName, [
            ['at', seconds(value[0] / time.factor)],
            seriesIndex < queues.length
              ? ['queue', bytes(value[1] / size.factor)]
              : ['held since the instant before', seconds(value[1] / holds.factor)],
          ]),
      }),
      series: [
        ...queues.map((queue, index) => {
          const look = kindLook(queue.port, index, theme);
          return {
            name: queue.port,
            type: 'line',
            xAxisIndex: 0,
            yAxisIndex: 0,
            symbol: symbolAt(index),
            symbolSize: 6,
            showSymbol: queue.at_s.length <= 60,
            lineStyle: {width: 2, type: lineAt(index), color: look.color},
            itemStyle: {color: look.color},
            areaStyle: {color: look.color, opacity: 0.06},
            data: queue.at_s.map((at, place) => [at * time.factor, (queue.bytes?.[place] ?? NaN) * size.factor]),
          };
        }),
        ...(anyHeld
          ? queues.map((queue, index) => {
              const look = kindLook(queue.port, index, theme);
              return {
                name: queue.port,
                type: 'bar',
                stack: 'held',
                xAxisIndex: 1,
                yAxisIndex: 1,
                barMaxWidth: 10,
                barMinWidth: 3,
                itemStyle: {color: look.color, decal: queue.at_s.length > MOST_PATTERNS ? 'none' : look.decal},
                data: queue.at_s.map((at, place) => [at * time.factor, (queue.held_s?.[place] ?? 0) * holds.factor]),
              };
            })
          : []),
      ],
    };
  };
}

function tableOf(fabric) {
  return table(
    `Queues of ${fabric.name}`,
    [
      {name: 'Port'},
      {name: 'Largest queue', number: true},
      {name: 'At', number: true},
      {name: 'Held in all', number: true},
    ],
    fabric.queues.map((queue) => {
      const largest = peak(queue);
      return [
        queue.port,
        list(queue.bytes).length > 0 ? bytes(largest) : undefined,
        list(queue.bytes).length > 0 ? seconds(queue.at_s[queue.bytes.indexOf(largest)] ?? 0) : undefined,
        list(queue.held_s).length > 0 ? seconds(held(queue)) : undefined,
      ];
    }),
  );
}

export function queues(comparison) {
  const fabrics = having(comparison, (fabric) => fabric.queues);
  if (fabrics.length === 0) return absent('queues', 'Queues and pauses over time', 'Queues and pauses over time');
  let shown = fabrics[0];
  let option = optionOf(shown);
  const chart = makeChart({
    id: 'queues',
    zoom: 'x',
    height: (width, onPaper) => {
      const {queue, held: below} = heights(onPaper);
      return 62 + queue + (isHeld(shown) ? 52 + below : 0) + legendHeight(portsOf(shown), width, 34);
    },
    option: (...how) => option(...how),
    description:
      'Bytes waiting at the fullest ports over time, and below how long each port was held by pauses or missing credits.',
  });
  const numbersTable = opening('Numbers as a table', () => tableOf(shown));
  const caption = h('p', {class: 'key'});
  const say = () => {
    const more = shown.queues.length - MOST_PORTS;
    caption.textContent =
      `${shown.name}: the ${Math.min(MOST_PORTS, shown.queues.length)} fullest ports${more > 0 ? ` of ${shown.queues.length}` : ''}. ` +
      (isNumber(shown[member.pause_s])
        ? `Paused in all: ${seconds(shown[member.pause_s])}.`
        : isNumber(shown[member.credit_stall_s])
          ? `Waiting for credits in all: ${seconds(shown[member.credit_stall_s])}.`
          : '');
  };
  say();
  const choice = select(
    'Fabric of the queues',
    fabrics.map((fabric) => fabric.name),
    (name) => {
      shown = fabrics.find((fabric) => fabric.name === name);
      option = optionOf(shown);
      numbersTable.refresh();
      say();
      chart.resize();
    },
  );
  return section(
    'queues',
    'Queues and pauses over time',
    'Bytes that wait to leave the fullest ports; below, on the same clock, the time for which a port was held: paused, or without credits.',
    h('div', {class: 'controls'}, choice.element),
    clockNote(fabrics),
    chart.element,
    caption,
    numbersTable.element,
  );
}
