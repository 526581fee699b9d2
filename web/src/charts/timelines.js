// One step of each fabric, lane by lane: a chart for each, all on the same clock.
import {axis, legend, legendHeight, makeChart, textWidth, tip, tooltip} from '../charts.js';
import {having} from '../comparison.js';
import {h, slug} from '../dom.js';
import {seconds, timeUnit} from '../format.js';
import {fabricName} from '../marks.js';
import {kindLook} from '../palette.js';
import {absent, numbers, section} from '../section.js';

const LANE = 26;
const laneHeight = (onPaper) => (onPaper ? 15 : LANE);
const MOST_LANES = 12; // of a fabric
const MOST_ROWS = 200; // of the table; on paper it is open
const MOST_BARS = 160; // drawn at once of a fabric
const PATTERN_WIDTH = 14; // pixels; a narrower bar has no room for its pattern
const THIN = 3; // pixels; no bar is narrower

/** The kind of a node: "dp all-reduce 3 of 8" and "dp all-reduce 4 of 8" look the same. */
const kindOf = (event) => event.name.replace(/\s*\d+(\s*(of|\/)\s*\d+)?$/, '').trim() || event.name;

const laneOf = (event) => `rank ${event.rank}, ${event.lane}`;

/** The lanes of the first ranks, in the order of ranks; ranks are shown whole as far as there is room. */
function lanesOf(fabric) {
  const ranks = new Map();
  for (const event of fabric.timeline) ranks.set(event.rank, (ranks.get(event.rank) ?? new Set()).add(laneOf(event)));
  const lanes = [];
  for (const rank of [...ranks.keys()].sort((a, b) => a - b)) {
    if (lanes.length > 0 && lanes.length + ranks.get(rank).size > MOST_LANES) break;
    lanes.push(...ranks.get(rank));
  }
  return lanes.slice(0, MOST_LANES);
}

/** The kind that took most of a bar that stands for several events. */
const mostOf = (times) => [...times].reduce((most, one) => (one[1] > most[1] ? one : most))[0];

/** A bar takes in another that follows it. */
function takeIn(bar, next) {
  bar.to = Math.max(bar.to, next.to);
  bar.count += 1;
  for (const [kind, time] of next.times) bar.times.set(kind, (bar.times.get(kind) ?? 0) + time);
}

/**
 * Where events are drawn, by their index: {from, to, count, kind} in pixels. Thin ones of a kind that follow one another are one
 * bar, in the place of the first, and so are thin ones that would lie within the least width of a bar, whatever their kinds. A
 * thin one alone is widened; what comes next begins behind it.
 */
export function placeBars(events, pixel, least = THIN) {
  const lanes = new Map();
  events.forEach((event, index) => {
    const [from, to] = [pixel(event.begin_s), pixel(event.end_s)];
    const bar = {index, from, to, count: 1, thin: to - from < least, times: new Map([[kindOf(event), to - from]])};
    lanes.set(laneOf(event), [...(lanes.get(laneOf(event)) ?? []), bar]);
  });
  const places = new Map();
  for (const bars of lanes.values()) {
    const drawn = [];
    for (const bar of bars.sort((a, b) => a.from - b.from)) {
      const last = drawn.at(-1);
      const alike = last?.thin && mostOf(last.times) === mostOf(bar.times) && bar.from - last.to < 1;
      const within = last?.thin && bar.from < last.from + least;
      if (bar.thin && (alike || within)) takeIn(last, bar);
      else drawn.push(bar);
    }
    drawn.forEach((bar, place) => {
      bar.from = Math.max(bar.from, drawn[place - 1]?.thin ? drawn[place - 1].to : bar.from);
      bar.to = Math.max(bar.to, bar.from + least);
      places.set(bar.index, {...bar, kind: mostOf(bar.times)});
    });
  }
  return places;
}

/** Places with so few bars between two pixels that the page stays light: the least width of a bar grows until they are. */
function fewBars(events, pixel, [left, right]) {
  for (let least = THIN; ; least *= 1.5) {
    const places = placeBars(events, pixel, least);
    const seen = [...places.values()].filter(({from, to}) => to > left && from < right).length;
    if (seen <= MOST_BARS || least > right - left) return places;
  }
}

function bars(events, kinds, {theme, unit, counts}) {
  return (params, api) => {
    const event = events[params.dataIndex];
    if (!params.context.places) {
      const {x, width} = params.coordSys;
      params.context.places = fewBars(events, (time) => api.coord([time * unit.factor, 0])[0], [x, x + width]);
      counts.clear();
      params.context.places.forEach(({count}, index) => counts.set(index, count));
    }
    const place = params.context.places.get(params.dataIndex);
    if (!place) return null; // drawn with others
    const y = api.coord([api.value(1), api.value(0)])[1];
    const height = api.size([0, 1])[1] * 0.74;
    const look = kindLook(place.kind, kinds.indexOf(place.kind), theme);
    const {x: left, width} = params.coordSys;
    const from = Math.max(place.from, left);
    const to = Math.min(place.to, left + width);
    if (to <= from) return null;
    const fits = place.count === 1 && to - from > textWidth(event.name, 11) + 12;
    const patterned = to - from >= PATTERN_WIDTH && look.decal !== 'none';
    return {
      type: 'rect',
      shape: {x: from, y: y - height / 2, width: to - from, height, r: to - from > 4 ? 2 : 0},
      style: {
        fill: look.color,
        decal: patterned ? look.decal : undefined,
        stroke: theme.surface,
        lineWidth: to - from > 4 ? 0.6 : 0,
      },
      textContent: fits
        ? {
            style: {
              text: event.name,
              fill: theme.dark ? '#f4f7fb' : '#101828',
              fontSize: 11,
              backgroundColor: theme.dark ? 'rgba(15,20,30,0.55)' : 'rgba(255,255,255,0.78)',
              padding: [1, 4],
              borderRadius: 3,
            },
          }
        : undefined,
      textConfig: {position: 'inside'},
    };
  };
}

function chartOf(fabric, {kinds, last, unit, keyHeight}) {
  const lanes = lanesOf(fabric);
  const events = fabric.timeline.filter((event) => lanes.includes(laneOf(event)));
  const top = (width) => 8 + keyHeight(width);
  const counts = new Map(); // index of an event -> how many its bar stands for
  const sides = lanes.flatMap((lane) => lane.split(', ')).map((text) => textWidth(text, 11));
  const option = (theme, width, onPaper) => {
    const narrow = width < 560;
    return {
      legend: keyHeight(width) > 0 ? legend(theme, width, {data: kinds, selectedMode: false}) : {show: false},
      grid: {
        left: narrow ? Math.max(40, ...sides) + 14 : 178,
        right: 24,
        top: top(width),
        height: lanes.length * laneHeight(onPaper),
      },
      xAxis: axis(theme, {
        type: 'value',
        min: 0,
        max: last * unit.factor,
        axisLabel: {showMaxLabel: false},
        name: `time, ${unit.name}`,
        nameLocation: 'middle',
        nameGap: 26,
      }),
      yAxis: axis(theme, {
        type: 'category',
        inverse: true,
        data: lanes,
        splitLine: {show: false},
        axisLabel: {
          interval: 0,
          hideOverlap: false,
          formatter: (lane) => (narrow ? lane.replace(', ', '\n') : lane),
          ...(narrow ? {fontSize: 11, lineHeight: 12} : {}),
        },
      }),
      tooltip: tooltip(theme, {
        trigger: 'item',
        formatter: ({dataIndex}) => {
          const event = events[dataIndex];
          const more = (counts.get(dataIndex) ?? 1) - 1;
          return tip(more > 0 ? `${event.name}, and ${more} more (zoom to see each)` : event.name, [
            ['rank', event.rank],
            ['lane', event.lane],
            ['from', seconds(event.begin_s)],
            ['to', seconds(event.end_s)],
            ['takes', seconds(event.end_s - event.begin_s)],
          ]);
        },
      }),
      series: [
        {
          name: fabric.name,
          type: 'custom',
          encode: {x: [1, 2], y: 0},
          clip: true,
          renderItem: bars(events, kinds, {theme, unit, counts}),
          data: events.map((event) => ({
            name: event.name,
            value: [lanes.indexOf(laneOf(event)), event.begin_s * unit.factor, event.end_s * unit.factor],
          })),
        },
        // Kinds have series of their own, empty, because a legend names series.
        ...kinds.map((kind, index) => {
          const look = kindLook(kind, index, theme);
          return {name: kind, type: 'bar', data: [], itemStyle: {color: look.color, decal: look.decal}};
        }),
      ],
    };
  };
  const hidden = new Set(fabric.timeline.map(laneOf)).size - lanes.length;
  return [
    makeChart({
      id: `timeline-${slug(fabric.name)}`,
      option,
      zoom: 'x',
      clock: 'timelines',
      half: true,
      description: `Timeline of a step with ${fabric.name}, lane by lane.`,
      height: (width, onPaper) => top(width) + lanes.length * laneHeight(onPaper) + (onPaper ? 40 : 48),
    }).element,
    hidden > 0 && h('p', {class: 'key'}, `${hidden} more lanes, of further ranks, are in the results alone.`),
  ];
}

export function timelines(comparison, looks) {
  const fabrics = having(comparison, (fabric) => fabric.timeline);
  if (fabrics.length === 0) return absent('timelines', 'Timelines of a step', 'What each GPU did when');
  const events = fabrics.flatMap((fabric) => fabric.timeline);
  const last = events.reduce((latest, event) => Math.max(latest, event.end_s), 0);
  const kinds = [...new Set(events.map(kindOf))];
  const keyHeight = (width) => legendHeight(kinds, width);
  const common = {kinds, last, unit: timeUnit(last)};
  const rows = fabrics.flatMap((fabric) => fabric.timeline.map((event) => [fabric, event]));
  const cut = rows.length > MOST_ROWS ? ` (the first ${MOST_ROWS} of ${rows.length})` : '';
  return section(
    'timelines',
    'Timelines of a step',
    'What GPUs do when, on the same clock for every fabric: the shorter the lanes, the faster the step. Events too short to see are drawn together with those beside them; all fabrics zoom together.',
    h(
      'div',
      {class: 'pairs'},
      fabrics.map((fabric, index) =>
        h(
          'div',
          {class: 'block whole'},
          h('h3', {}, fabricName(fabric, looks)),
          chartOf(fabric, {...common, keyHeight: index === 0 ? keyHeight : () => 0}),
        ),
      ),
    ),
    numbers(
      `Timelines${cut}`,
      [
        {name: 'Fabric'},
        {name: 'GPU'},
        {name: 'Lane'},
        {name: 'What'},
        {name: 'From', number: true},
        {name: 'To', number: true},
      ],
      () =>
        rows
          .slice(0, MOST_ROWS)
          .map(([fabric, event]) => [
            fabric.name,
            `rank ${event.rank}`,
            event.lane,
            event.name,
            seconds(event.begin_s),
            seconds(event.end_s),
          ]),
    ),
  );
}
