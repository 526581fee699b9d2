// The load of every link between switches: a map of each tier, a row for each switch that sends and a column for each that
// receives, and all links in order of their load.
import {axis, legend, legendHeight, makeChart, textWidth, tip, tooltip} from '../charts.js';
import {h, slug} from '../dom.js';
import {rate, significant} from '../format.js';
import {kindLook, loadColor, LOADS} from '../palette.js';

const MOST_SIDE = 72; // switches of a side of a map; more of them are drawn in order of load alone
const ROW = {screen: 18, paper: 12}; // pixels
const MOST_CELL = 34; // pixels that a cell is wide at most
const LEAST_NUMBER = 27; // pixels of a cell that holds its number

/** Loads in parts of the rate, as classes with the colours of the page. */
const CLASSES = [
  {most: 0, text: 'nothing', look: LOADS[0]},
  {most: 0.5, text: 'up to half', look: LOADS[1]},
  {most: 1 + 1e-9, text: 'up to its rate', look: LOADS[2]},
  {most: 2 + 1e-9, text: 'up to twice its rate', look: LOADS[3]},
  {most: Infinity, text: 'more than twice', look: LOADS[4]},
];
const classOf = (load) => CLASSES.findIndex(({most}) => load <= most);
const switchOf = (port) => port.slice(0, port.lastIndexOf('/'));
const loadText = (load) => significant(load, 3);

/** The links of a tier by their two switches; of parallel ones the one with most to carry. */
function cellsOf(links) {
  const cells = new Map();
  for (const link of links) {
    const key = `${switchOf(link.port)} ${link.to}`;
    const known = cells.get(key);
    if (!known || link.load > known.link.load) cells.set(key, {link, parallel: (known?.parallel ?? 0) + 1});
    else known.parallel += 1;
  }
  return [...cells.values()];
}

const byNumber = (a, b) => a.localeCompare(b, 'en', {numeric: true});
const inOrder = (names) => [...new Set(names)].sort(byNumber);

/** rows, columns and cells of the map of a tier; null if it would be too large to be read. */
export function mapOf(links) {
  const cells = cellsOf(links);
  const rows = inOrder(cells.map(({link}) => switchOf(link.port)));
  const columns = inOrder(cells.map(({link}) => link.to));
  return rows.length > MOST_SIDE || columns.length > MOST_SIDE ? null : {rows, columns, cells};
}

function geometry({rows, columns}, width, onPaper) {
  const names = Math.min(width / 3, 12 + Math.max(...rows.map((name) => textWidth(name, 11))));
  const cell = Math.min(MOST_CELL, (width - names - 16) / columns.length);
  const row = onPaper ? ROW.paper : ROW.screen;
  const upright = Math.min(90, 8 + Math.max(...columns.map((name) => textWidth(name, 11))));
  const named = {row: row >= 11, column: cell >= 13};
  return {names, cell, row, upright: named.column ? upright : 12, named};
}

const LEGEND = CLASSES.map(({text}) => text);

function mapChart(id, tier, map) {
  const top = (width) => legendHeight(LEGEND, width) + 6;
  const option = (theme, width, onPaper) => {
    const at = geometry(map, width, onPaper);
    const place = (names, name) => names.indexOf(name);
    const ofClass = (index) => map.cells.filter(({link}) => classOf(link.load) === index);
    return {
      legend: legend(theme, width, {data: LEGEND}),
      grid: {left: at.names, top: top(width), width: at.cell * map.columns.length, height: at.row * map.rows.length},
      xAxis: axis(theme, {
        type: 'category',
        data: map.columns,
        position: 'bottom',
        splitLine: {show: false},
        axisLabel: {show: at.named.column, rotate: 90, fontSize: 11, interval: 0, hideOverlap: false},
      }),
      yAxis: axis(theme, {
        type: 'category',
        data: map.rows,
        inverse: true,
        splitLine: {show: false},
        axisLabel: {show: at.named.row, fontSize: 11, interval: 0, hideOverlap: false, width: at.names - 10, overflow: 'break'},
      }),
      tooltip: tooltip(theme, {
        trigger: 'item',
        formatter: ({data}) =>
          tip(`${data.link.port} to ${data.link.to}`, [
            ['load', loadText(data.link.load)],
            ['flows', significant(data.link.flows, 3)],
            ['asked for', rate(data.link.demand_bps)],
            ['rate', rate(data.link.rate_bps)],
            ...(data.parallel > 1 ? [['cables', `${data.parallel}, of which this carries most`]] : []),
          ]),
      }),
      series: CLASSES.map(({text, look}, index) => ({
        name: text,
        type: 'scatter',
        symbol: 'rect',
        symbolSize: [Math.max(2, at.cell - 2), Math.max(2, at.row - 2)],
        itemStyle: {color: loadColor(look, theme)},
        label: {
          show: at.cell >= LEAST_NUMBER && !onPaper,
          formatter: ({data}) => (data.link.load > 0 ? loadText(data.link.load) : ''),
          color: index >= 2 && !theme.dark ? '#ffffff' : theme.dark && index >= 2 ? '#0b1220' : theme.ink,
          fontSize: 10,
        },
        data: ofClass(index).map(({link, parallel}) => ({
          value: [place(map.columns, link.to), place(map.rows, switchOf(link.port))],
          link,
          parallel,
        })),
      })),
    };
  };
  return makeChart({
    id,
    height: (width, onPaper) => {
      const at = geometry(map, width, onPaper);
      return top(width) + at.row * map.rows.length + at.upright + 8;
    },
    option,
    description: `Load of each link from ${tier.replace(' > ', ' to ')}: rows send, columns receive.`,
  }).element;
}

/** The loads of all links of each tier, largest first. */
function orderChart(id, set) {
  const names = set.tiers.map(({links}) => links);
  const option = (theme, width) => ({
    legend: legend(theme, width, {data: names, itemWidth: 34}),
    grid: {left: 34, right: 24, top: legendHeight(names, width, 34) + 10, bottom: 40, containLabel: true},
    xAxis: axis(theme, {type: 'value', min: 0, max: 100, name: 'links, %', nameLocation: 'middle', nameGap: 28}),
    yAxis: axis(theme, {
      type: 'value',
      min: 0,
      name: 'load, parts of the rate',
      nameLocation: 'middle',
      nameGap: 36,
    }),
    tooltip: tooltip(theme, {
      trigger: 'item',
      formatter: ({seriesName, value}) =>
        tip(seriesName, [
          ['load', loadText(value[1])],
          ['links with as much', `${significant(value[0], 3)} %`],
        ]),
    }),
    series: set.tiers.map(({links: name}, index) => {
      const loads = set.links
        .filter(({tier}) => tier === name)
        .map(({load}) => load)
        .sort((a, b) => b - a);
      const look = kindLook(name, index, theme);
      return {
        name,
        type: 'line',
        step: 'end',
        symbol: 'none',
        lineStyle: {width: 2.2, color: look.color, type: index % 2 === 0 ? 'solid' : 'dashed'},
        itemStyle: {color: look.color},
        data: [[0, loads[0]], ...loads.map((load, place) => [(100 * (place + 1)) / loads.length, load])],
      };
    }),
  });
  return makeChart({
    id,
    height: (width, onPaper) => (onPaper ? 190 : 270) + legendHeight(names, width, 34),
    option,
    description: 'Loads of all links in order, largest first, for each tier.',
  }).element;
}

/** Every tier of a set of flows. */
export function loads(set, number) {
  return [
    set.tiers.map(({links: name}) => {
      const map = mapOf(set.links.filter(({tier}) => tier === name));
      return h(
        'div',
        {class: 'block whole'},
        h('h3', {}, `From ${name.replace(' > ', ' to ')}`),
        map
          ? mapChart(`map-${number}-${slug(name)}`, name, map)
          : h('p', {class: 'key'}, `More than ${MOST_SIDE} switches on a side are too many for a map.`),
      );
    }),
    h('h3', {}, 'All links in order of their load'),
    orderChart(`order-${number}`, set),
  ];
}
