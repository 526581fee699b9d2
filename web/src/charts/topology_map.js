// The topology by tiers, its links by their load at an instant that a slider chooses.
import {axis, makeChart, tip, tooltip} from '../charts.js';
import {having, list} from '../comparison.js';
import {clockNote} from '../slices.js';
import {h} from '../dom.js';
import {isNumber, percent, rate, seconds} from '../format.js';
import {LOADS, loadClass, loadColor} from '../palette.js';
import {absent, opening, section, select, table} from '../section.js';
import {loadOverTime} from './load_over_time.js';

const MOST_LINKS = 1500; // drawn
const MOST_ROWS = 40; // of the table, the busiest
const FINE = 100; // links; with more of them lines are thinner
const TICK = 160; // milliseconds between instants when it plays

/** name -> [x, y] in 0..1: tiers from below, nodes of a tier evenly from the left. */
function places(topology) {
  const tiers = new Map();
  for (const node of topology.nodes) tiers.set(node.tier, [...(tiers.get(node.tier) ?? []), node]);
  const levels = [...tiers.keys()].sort((a, b) => a - b);
  const at = new Map();
  levels.forEach((tier, level) =>
    tiers
      .get(tier)
      .forEach((node, index) =>
        at.set(node.name, [
          (index + 0.5) / tiers.get(tier).length,
          levels.length > 1 ? level / (levels.length - 1) : 0.5,
        ]),
      ),
  );
  return {at, tiers: levels.map((tier) => tiers.get(tier))};
}

const peakOf = (link) => Math.max(0, ...list(link.utilisation));

/** All links, or the busiest of very many; the idle ones are drawn first, so that busy ones lie on top. */
function drawnLinks(topology) {
  const links = topology.links.filter((link) => list(link.utilisation).length > 0);
  return [...links]
    .sort((a, b) => peakOf(b) - peakOf(a))
    .slice(0, MOST_LINKS)
    .reverse();
}

/** By how much lines are thinner than in a small network. */
const thinness = (view) => Math.max(0.25, Math.min(1, Math.sqrt(FINE / Math.max(1, view.links.length))));

function key() {
  return LOADS.map((load) =>
    h(
      'li',
      {},
      h('span', {
        class: 'line',
        'aria-hidden': 'true',
        style: `border-top-width:${load.width}px;--light:${load.colors[0]};--dark:${load.colors[1]}`,
      }),
      load.text,
    ),
  );
}

/** What the section shows now. */
class View {
  constructor(fabrics) {
    this.fabrics = fabrics;
    this.choose(fabrics[0].name);
  }

  choose(name) {
    this.fabric = this.fabrics.find((fabric) => fabric.name === name);
    this.topology = this.fabric.topology;
    this.places = places(this.topology);
    this.links = drawnLinks(this.topology);
    this.instants = list(this.topology.instants_s);
    const totals = this.instants.map((_, instant) =>
      this.links.reduce((total, link) => total + link.utilisation[instant], 0),
    );
    this.instant = Math.max(0, totals.indexOf(Math.max(...totals)));
  }

  share(link) {
    return link.utilisation[this.instant] ?? 0;
  }

  when() {
    return isNumber(this.instants[this.instant]) ? seconds(this.instants[this.instant]) : 'no instant';
  }
}

function nodesOf(view, theme, width) {
  return view.places.tiers.flatMap((nodes) =>
    nodes.map((node) => {
      const room = width / nodes.length;
      const isSwitch = node.kind === 'switch';
      const text = 6.3 * node.name.length + 10;
      const fits = text < room * 0.96;
      return {
        name: node.name,
        value: view.places.at.get(node.name),
        symbol: isSwitch ? 'roundRect' : 'circle',
        symbolSize: isSwitch
          ? [fits ? Math.max(54, text) : Math.max(4, Math.min(54, room * 0.72)), fits ? 20 : 12]
          : Math.max(3, Math.min(18, room * 0.6)),
        itemStyle: {
          color: isSwitch ? (theme.dark ? '#31405a' : '#e4eaf3') : theme.dark ? '#22304a' : '#f4f6fa',
          borderColor: theme.soft,
          borderWidth: 1.2,
        },
        label: {show: fits, position: isSwitch ? 'inside' : 'bottom', color: theme.ink, fontSize: 11, distance: 4},
      };
    }),
  );
}

function edgesOf(view, theme) {
  return view.links.map((link) => {
    const share = view.share(link);
    const load = loadClass(share);
    return {
      source: link.from,
      target: link.to,
      value: share,
      lineStyle: {
        color: loadColor(load, theme),
        width: load.width * thinness(view),
        opacity: share < 0.2 ? 0.5 : view.links.length > FINE ? 0.8 : 0.95,
        curveness: 0.06,
      },
    };
  });
}

function tableOf(view) {
  const rows = [...view.topology.links]
    .filter((link) => list(link.utilisation).length > 0)
    .sort((a, b) => view.share(b) - view.share(a) || peakOf(b) - peakOf(a))
    .slice(0, MOST_ROWS);
  return table(
    `Busiest links of ${view.fabric.name} at ${view.when()}`,
    [
      {name: 'From'},
      {name: 'To'},
      {name: 'Rate', number: true},
      {name: 'Load', number: true},
      {name: 'Highest load', number: true},
    ],
    rows.map((link) => [
      link.from,
      link.to,
      isNumber(link.rate_bps) ? rate(link.rate_bps) : undefined,
      percent(view.share(link)),
      percent(peakOf(link)),
    ]),
  );
}

export function topologyMap(comparison) {
  const loaded = (fabric) =>
    list(fabric.topology?.nodes).length > 0 &&
    list(fabric.topology.links).some((link) => list(link.utilisation).length > 0);
  const fabrics = having(comparison, (fabric) => fabric.topology?.nodes).filter(loaded);
  if (fabrics.length === 0) return absent('topology', 'Load of the links', 'The load of the links');
  const view = new View(fabrics);
  const option = (theme, width) => ({
    grid: {left: 30, right: 30, top: 26, bottom: 44},
    xAxis: axis(theme, {show: false, min: 0, max: 1}),
    yAxis: axis(theme, {show: false, min: 0, max: 1}),
    tooltip: tooltip(theme, {
      trigger: 'item',
      formatter: ({dataType, dataIndex, name}) => {
        if (dataType !== 'edge') return tip(name, []);
        const link = view.links[dataIndex];
        return tip(`${link.from} to ${link.to}`, [
          ['load', percent(view.share(link))],
          ...(isNumber(link.rate_bps) ? [['rate', rate(link.rate_bps)]] : []),
        ]);
      },
    }),
    series: [
      {
        name: view.fabric.name,
        type: 'graph',
        layout: 'none',
        coordinateSystem: 'cartesian2d',
        animation: false,
        data: nodesOf(view, theme, width - 60),
        edges: edgesOf(view, theme),
        emphasis: {focus: 'adjacency', lineStyle: {opacity: 1}},
        silent: false,
      },
    ],
  });
  const chart = makeChart({
    id: 'topology',
    option,
    height: (width, onPaper) => (onPaper ? 240 : Math.min(520, Math.max(300, width * 0.42))),
    description:
      'Map of the network by tiers. The colour and the width of a link say how busy it is at the chosen instant.',
  });

  const said = h('output', {class: 'instant', for: 'topology-time', id: 'topology-instant'});
  const slider = h('input', {type: 'range', id: 'topology-time', min: 0, step: 1});
  const caption = h('p', {class: 'key', id: 'topology-caption'});
  const legend = h('ul', {class: 'loads', 'aria-label': 'Load of a link'}, key());
  const rows = opening('Numbers as a table', () => tableOf(view));
  const update = (redraw) => {
    slider.max = Math.max(0, view.instants.length - 1);
    slider.value = view.instant;
    slider.setAttribute('aria-valuetext', view.when());
    said.textContent = view.when();
    const hidden = view.topology.links.length - view.links.length;
    caption.textContent =
      `${view.fabric.name} at ${view.when()}, instant ${view.instant + 1} of ${view.instants.length}. ` +
      `Each line carries one direction${hidden > 0 ? `; ${hidden} of ${view.topology.links.length} links, the least busy or without samples, are not drawn` : ''}.`;
    rows.refresh();
    if (redraw) chart.draw(redraw === 'merge');
  };
  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = '▶ Play';
  };
  const go = (instant) => {
    view.instant = instant;
    update('merge');
  };
  slider.addEventListener('input', () => {
    stop();
    go(Number(slider.value));
  });
  const play = h(
    'button',
    {
      type: 'button',
      class: 'control',
      onclick: () => {
        if (timer) return stop();
        play.textContent = '■ Stop';
        timer = setInterval(() => go((view.instant + 1) % view.instants.length), TICK);
        return undefined;
      },
    },
    '▶ Play',
  );
  const choice = select(
    'Fabric of the map',
    fabrics.map((fabric) => fabric.name),
    (name) => {
      stop();
      view.choose(name);
      update('new');
      course.show(view.fabric);
    },
  );
  const course = loadOverTime(view.fabric);
  update(null);
  return section(
    'topology',
    'Load of the links',
    'The network by tiers, hosts below. Wider and warmer lines are busier; the slider moves through the run, from its busiest instant at first.',
    h(
      'div',
      {class: 'controls'},
      choice.element,
      h('label', {class: 'control wide', for: 'topology-time'}, h('span', {}, 'Time'), slider, said),
      play,
    ),
    clockNote(fabrics),
    legend,
    chart.element,
    caption,
    rows.element,
    course.elements,
  );
}
