// The load of links over time, and below on the same clock what load balancing decided.
import {axis, legend, legendHeight, makeChart, tip, tooltip} from '../charts.js';
import {list} from '../comparison.js';
import {h} from '../dom.js';
import {count, percent, seconds, tick, timeUnit} from '../format.js';
import {kindLook, lineAt, symbolAt} from '../palette.js';
import {opening, table} from '../section.js';

const MOST_LINKS = 5;
const MOST_PATTERNS = 30; // instants; with more of them bars are too narrow for a pattern
const LINE_WIDTH = 34; // of a line in the legend

/** What each kind is called, and what it means, for those who meet it for the first time. */
const KINDS = {
  'flowlet-moved': [
    'flowlets on another port',
    'a flow paused, and the switch sent what followed by another link than before',
  ],
  'flowlet-kept': ['flowlets that stayed', 'a flow began, or went on after a pause by the link that it had'],
  reroute: ['flows rerouted by leaves', 'a leaf switch found a path slow and moved a flow to another (ConWeave)'],
  'port-choice': ['packets by shortest queue', 'a switch compared its queues and chose the link of a single packet'],
  detour: ['packets by a third group', 'a packet took the longer path over another group'],
  'path-change': ['paths changed by senders', 'a sender left a path, or passed one over, by what it heard of it'],
  entries: ['entries installed', 'the controller wrote paths of flows into the tables of switches'],
};
const nameOf = (kind) => KINDS[kind]?.[0] ?? kind;
const meaningOf = (kind) => KINDS[kind]?.[1];

const heights = (onPaper) => (onPaper ? {load: 110, decisions: 60} : {load: 190, decisions: 110}); // pixels

/** So short that both parts keep their left edge, and one clock. */
const shortCount = (value) => (value >= 1e6 ? `${value / 1e6} M` : value >= 1e4 ? `${value / 1e3} k` : tick(value));

const peakOf = (link) => Math.max(0, ...list(link.utilisation));

/** The links between switches, which load balancing chooses among; all links, where there are none. */
function chosenAmong(topology) {
  const switches = new Set(topology.nodes.filter(({kind}) => kind === 'switch').map(({name}) => name));
  const loaded = topology.links.filter((link) => list(link.utilisation).length > 0);
  const between = loaded.filter((link) => switches.has(link.from) && switches.has(link.to));
  return between.length > 0 ? between : loaded;
}

/** The busiest links, and the mean of all: {name, values}. */
function linesOf(topology) {
  const links = chosenAmong(topology);
  const mean = list(topology.instants_s).map(
    (_, instant) => links.reduce((sum, link) => sum + link.utilisation[instant], 0) / links.length,
  );
  const busiest = [...links].sort((a, b) => peakOf(b) - peakOf(a)).slice(0, MOST_LINKS);
  // Parallel cables have one name; each is a line of its own.
  const seen = new Map();
  const named = busiest.map((link) => {
    const name = `${link.from} to ${link.to}`;
    seen.set(name, (seen.get(name) ?? 0) + 1);
    return {name: seen.get(name) > 1 ? `${name} (${seen.get(name)})` : name, values: link.utilisation};
  });
  return [{name: `mean of ${links.length} links`, values: mean}, ...named];
}

function optionOf(fabric) {
  const {topology} = fabric;
  const lines = linesOf(topology);
  const courses = list(fabric.decisions);
  const last = topology.instants_s.at(-1);
  const end = last * (1 + 0.5 / topology.instants_s.length); // room for half a bar
  const time = timeUnit(last);
  const common = {left: 66, right: 20};
  return (theme, width, onPaper) => {
    const names = [...lines.map(({name}) => name), ...courses.map(({decision}) => nameOf(decision))];
    const top = legendHeight(names, width, LINE_WIDTH) + 12;
    const {load, decisions} = heights(onPaper);
    const below = courses.length > 0;
    const timeAxis = (index) =>
      axis(theme, {
        type: 'value',
        gridIndex: index,
        min: 0,
        max: end * time.factor,
        containShape: false,
        axisLabel: {showMaxLabel: false},
        name: index === 1 || !below ? `time, ${time.name}` : '',
        nameLocation: 'middle',
        nameGap: 28,
      });
    const valueAxis = (index, name, more) =>
      axis(theme, {type: 'value', gridIndex: index, min: 0, name, nameLocation: 'middle', nameGap: 48, ...more});
    return {
      legend: legend(theme, width, {data: names, itemWidth: LINE_WIDTH}),
      grid: [{...common, top, height: load}, ...(below ? [{...common, top: top + load + 40, height: decisions}] : [])],
      xAxis: [timeAxis(0), ...(below ? [timeAxis(1)] : [])],
      yAxis: [valueAxis(0, 'load, %'), ...(below ? [valueAxis(1, 'decisions', {splitNumber: 3, minInterval: 1, axisLabel: {formatter: shortCount}})] : [])],
      tooltip: tooltip(theme, {
        trigger: 'item',
        formatter: ({seriesName, seriesIndex, value}) =>
          tip(seriesName, [
            ['until', seconds(value[0] / time.factor)],
            seriesIndex < lines.length
              ? ['load since the instant before', percent(value[1] / 100)]
              : ['since the instant before', count(value[1])],
          ]),
      }),
      series: [
        ...lines.map(({name, values}, index) => {
          const look = kindLook(name, index, theme);
          return {
            name,
            type: 'line',
            symbol: symbolAt(index),
            symbolSize: 6,
            showSymbol: values.length <= 60,
            lineStyle: {width: index === 0 ? 3 : 1.6, type: lineAt(index), color: look.color},
            itemStyle: {color: look.color},
            z: index === 0 ? 4 : 3,
            data: values.map((value, place) => [topology.instants_s[place] * time.factor, value * 100]),
          };
        }),
        ...courses.map(({decision, at_s: at, count: counts}, index) => {
          const look = kindLook(nameOf(decision), lines.length + index, theme);
          return {
            name: nameOf(decision),
            type: 'bar',
            stack: 'decisions',
            xAxisIndex: 1,
            yAxisIndex: 1,
            barMaxWidth: 10,
            barMinWidth: 3,
            itemStyle: {color: look.color, decal: at.length > MOST_PATTERNS ? 'none' : look.decal},
            data: at.map((instant, place) => [instant * time.factor, counts[place]]),
          };
        }),
      ],
    };
  };
}

/** A row for each instant: the mean of all links, the busiest one, and how often each kind of decision was made. */
function tableOf(fabric) {
  const {topology} = fabric;
  const [mean] = linesOf(topology);
  const links = chosenAmong(topology);
  const courses = list(fabric.decisions);
  return table(
    `Load and decisions of ${fabric.name} over time`,
    [
      {name: 'Until'},
      {name: 'Mean load', number: true},
      {name: 'Highest load', number: true},
      {name: 'Of the link'},
      ...courses.map(({decision}) => ({name: nameOf(decision), number: true})),
    ],
    topology.instants_s.map((instant, place) => {
      const busiest = links.reduce((most, link) => (link.utilisation[place] > most.utilisation[place] ? link : most));
      return [
        seconds(instant),
        percent(mean.values[place]),
        percent(busiest.utilisation[place]),
        `${busiest.from} to ${busiest.to}`,
        ...courses.map((course) => count(course.count[place])),
      ];
    }),
  );
}

/** The chart of one fabric at a time, whose links have loads: {elements, show(fabric)}. */
export function loadOverTime(first) {
  let shown = first;
  let option = optionOf(shown);
  const names = () => [
    ...linesOf(shown.topology).map(({name}) => name),
    ...list(shown.decisions).map(({decision}) => nameOf(decision)),
  ];
  const chart = makeChart({
    id: 'load',
    zoom: 'x',
    height: (width, onPaper) => {
      const {load, decisions} = heights(onPaper);
      return 58 + load + (list(shown.decisions).length > 0 ? 40 + decisions : 0) + legendHeight(names(), width, LINE_WIDTH);
    },
    option: (...how) => option(...how),
    description:
      'Load of the busiest links and the mean of all over time, and below how often load balancing decided anew.',
  });
  const caption = h('p', {class: 'key', id: 'load-caption'});
  const say = () => {
    const kinds = list(shown.decisions);
    const total = (course) => course.count.reduce((sum, value) => sum + value, 0);
    caption.textContent =
      kinds.length === 0
        ? `${shown.name}: what the paths are chosen by decides nothing anew while packets flow, or no decision was counted.`
        : `${shown.name}: ${kinds
            .map((one) => {
              const meaning = meaningOf(one.decision);
              return `${nameOf(one.decision)}, ${count(total(one))} in all${meaning ? ` (${meaning})` : ''}`;
            })
            .join('; ')}.`;
  };
  say();
  const rows = opening('Numbers as a table', () => tableOf(shown));
  return {
    elements: [
      h('h3', {}, 'Load over time, and what load balancing decided'),
      h(
        'p',
        {class: 'lead'},
        'The closer the busiest links are to the mean of all, the better the load is spread. Bars below count, between two instants, how often a path was chosen anew.',
      ),
      chart.element,
      caption,
      rows.element,
    ],
    show: (fabric) => {
      shown = fabric;
      option = optionOf(fabric);
      say();
      rows.refresh();
      chart.resize();
    },
  };
}
