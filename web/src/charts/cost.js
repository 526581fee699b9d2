// Cost against step time, and which fabrics no other one beats in both.
import * as labels from 'weft:labels';
import * as member from 'weft:members';
import {axis, charts, makeChart, textWidth, tip, tooltip} from '../charts.js';
import {indicativeText, possible} from '../comparison.js';
import {h} from '../dom.js';
import {dollars, isNumber, orNot, ratio, seconds, timeUnit, watts} from '../format.js';
import {absent, numbers, section} from '../section.js';
import {intervalText, whiskers} from './step_time.js';

const MARK = 15; // pixels
const RING = 10; // by how much a mark is larger than the one that stands in it

/** Fabrics that none beats: nothing is both as cheap and as fast, and better in one of them. Cheapest first. */
export function paretoFront(fabrics) {
  const beats = (a, b) =>
    a[member.cost_usd] <= b[member.cost_usd] &&
    a[member.step_time_s] <= b[member.step_time_s] &&
    (a[member.cost_usd] < b[member.cost_usd] || a[member.step_time_s] < b[member.step_time_s]);
  return fabrics
    .filter((fabric) => !fabrics.some((other) => beats(other, fabric)))
    .sort((a, b) => a[member.cost_usd] - b[member.cost_usd] || a[member.step_time_s] - b[member.step_time_s]);
}

/** Fabrics that would lie on one another, as lists; `near(a, b)` says whether two do. */
export function clusters(fabrics, near) {
  const found = [];
  for (const fabric of fabrics) {
    const home = found.find((cluster) => cluster.some((other) => near(fabric, other)));
    if (home) home.push(fabric);
    else found.push([fabric]);
  }
  return found;
}

/** From where to where an axis goes: what it shows, and room on both sides. */
function ends(values, share) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low || high || 1) * share;
  return {min: Math.max(0, low - room), max: high + room};
}

/** Whether the marks of two fabrics would touch, as shares of what the axes span. */
function nearIn(fabrics) {
  const span = (get) => {
    const values = fabrics.map(get);
    return Math.max(...values) - Math.min(...values) || Math.max(...values) || 1;
  };
  const width = span((fabric) => fabric[member.cost_usd]);
  const height = span((fabric) => fabric[member.step_time_s]);
  return (a, b) =>
    Math.abs(a[member.cost_usd] - b[member.cost_usd]) < 0.02 * width &&
    Math.abs(a[member.step_time_s] - b[member.step_time_s]) < 0.05 * height;
}

/**
 * Where the names of marks stand: beside them, above or below, where they touch neither a mark nor another name. `marks` and
 * the box are in pixels: {x, y, size, width, height}, the last two of the name, if it has one. Gives corners, by the mark's place.
 */
export function placeNames(marks, box) {
  const taken = marks.map(({x, y, size}) => ({x: x - size / 2, y: y - size / 2, width: size, height: size}));
  const free = (one) =>
    one.x >= box.left &&
    one.x + one.width <= box.right &&
    one.y >= box.top &&
    one.y + one.height <= box.bottom &&
    !taken.some(
      (other) =>
        one.x < other.x + other.width &&
        other.x < one.x + one.width &&
        one.y < other.y + other.height &&
        other.y < one.y + one.height,
    );
  return marks.map(({x, y, size, width, height}) => {
    if (!width) return null;
    const away = size / 2 + 5;
    const sides = [
      x + away,
      x - away - width,
      x - width / 2,
      Math.max(box.left, Math.min(box.right - width, x - width / 2)),
    ];
    const found = [];
    for (let far = 0; far < 12; far += 1) {
      for (const up of far === 0 ? [0] : [-far, far]) {
        const top = y - height / 2 + up * (height / 2 + 3);
        for (const left of Math.abs(up) * (height / 2 + 3) < size / 2 + height / 2 ? sides.slice(0, 2) : sides)
          found.push({x: left, y: top, width, height});
      }
    }
    const place = found.find(free) ?? found[0];
    taken.push(place);
    return place;
  });
}

export function cost(comparison, looks) {
  const fabrics = possible(comparison).filter(
    (fabric) => isNumber(fabric[member.cost_usd]) && isNumber(fabric[member.step_time_s]),
  );
  if (fabrics.length === 0)
    return absent('cost', 'Cost against step time', 'Cost and step time of one fabric together');
  const unit = timeUnit(Math.max(...fabrics.map((fabric) => fabric[member.step_time_s])));
  const thousands = (usd) => usd / 1000;
  const front = paretoFront(fabrics);
  const step = (fabric) => fabric[member.step_time_s] * unit.factor;
  const together = clusters(fabrics, nearIn(fabrics));
  const crowded = together
    .filter((cluster) => cluster.length > 1)
    .map((cluster) => cluster.map(({name}) => name).join(', '));
  const clusterOf = (fabric) => together.find((cluster) => cluster.includes(fabric));
  const named = (fabric) => clusterOf(fabric)[0] === fabric;
  const sizeOf = (fabric) => MARK + RING * (clusterOf(fabric).length - 1 - clusterOf(fabric).indexOf(fabric));
  const nameOf = (fabric) => {
    const more = clusterOf(fabric).length - 1;
    return more > 0 ? `${fabric.name} and ${more} more` : fabric.name;
  };
  /** Places of all names, found again for each drawing. */
  const layout =
    (width, onPlaces = {}) =>
    ({dataIndex}) => {
      const {chart} = charts.get('cost');
      if (dataIndex === 0 || !onPlaces.made) {
        const marks = fabrics.map((fabric) => {
          const [x, y] = chart.convertToPixel({xAxisIndex: 0, yAxisIndex: 0}, [
            thousands(fabric[member.cost_usd]),
            step(fabric),
          ]);
          const size = sizeOf(fabric);
          return named(fabric) ? {x, y, size, width: textWidth(nameOf(fabric), 12, 700) + 4, height: 16} : {x, y, size};
        });
        onPlaces.made = placeNames(marks, {left: 62, right: width - 4, top: 2, bottom: chart.getHeight() - 48});
      }
      const place = onPlaces.made[dataIndex];
      return place ? {x: place.x + 2, y: place.y + place.height / 2, align: 'left', verticalAlign: 'middle'} : {};
    };
  const option = (theme, width) => ({
    grid: {left: 62, right: 24, top: 24, bottom: 48},
    xAxis: axis(theme, {
      type: 'value',
      name: 'network, thousand USD',
      nameLocation: 'middle',
      nameGap: 30,
      ...ends(
        fabrics.map((fabric) => thousands(fabric[member.cost_usd])),
        0.14,
      ),
      axisLabel: {showMinLabel: false, showMaxLabel: false},
    }),
    yAxis: axis(theme, {
      type: 'value',
      name: `step time, ${unit.name}`,
      nameLocation: 'middle',
      nameGap: 48,
      ...ends(
        fabrics.flatMap((fabric) => [
          step(fabric),
          (fabric[member.step_time_low_s] ?? fabric[member.step_time_s]) * unit.factor,
          (fabric[member.step_time_high_s] ?? fabric[member.step_time_s]) * unit.factor,
        ]),
        0.16,
      ),
      axisLabel: {showMinLabel: false, showMaxLabel: false},
    }),
    tooltip: tooltip(theme, {
      trigger: 'item',
      formatter: ({dataIndex}) =>
        tip(fabrics[dataIndex].name, [
          ['cost', dollars(fabrics[dataIndex][member.cost_usd])],
          ['step time', seconds(fabrics[dataIndex][member.step_time_s])],
          ['95 % interval', intervalText(fabrics[dataIndex]) ?? 'one seed'],
        ]),
    }),
    series: [
      {
        name: 'Pareto front',
        type: 'line',
        step: 'end',
        symbol: 'none',
        z: 1,
        data: front.map((fabric) => [thousands(fabric[member.cost_usd]), step(fabric)]),
        lineStyle: {color: theme.soft, type: [6, 4], width: 1.6},
        tooltip: {show: false},
        silent: true,
      },
      whiskers(
        'interval',
        fabrics.map((fabric) => [
          thousands(fabric[member.cost_usd]),
          (fabric[member.step_time_low_s] ?? NaN) * unit.factor,
          (fabric[member.step_time_high_s] ?? NaN) * unit.factor,
        ]),
        theme,
        {
          encode: {x: 0, y: [1, 2]},
          point: (api, value) => api.coord([api.value(0), api.value(value)]),
          across: (end) => [end, 0],
        },
      ),
      {
        name: 'fabrics',
        type: 'scatter',
        z: 4,
        data: fabrics.map((fabric) => ({
          value: [thousands(fabric[member.cost_usd]), step(fabric)],
          name: fabric.name,
          symbol: looks.get(fabric.name).symbol,
          // Marks that would hide one another stand at their values, one in the other; the outermost bears all names.
          symbolSize: sizeOf(fabric),
          label: {show: named(fabric)},
          itemStyle: {
            opacity: 1,
            color: looks.get(fabric.name).color(theme),
            borderColor: front.includes(fabric) ? theme.ink : theme.surface,
            borderWidth: front.includes(fabric) ? 2 : 1,
          },
        })),
        label: {
          show: true,
          position: 'right',
          color: theme.ink,
          fontSize: 12,
          fontWeight: 700,
          formatter: ({dataIndex}) => nameOf(fabrics[dataIndex]),
        },
        labelLayout: layout(width),
      },
    ],
  });
  const chart = makeChart({
    id: 'cost',
    option,
    zoom: 'xy',
    height: (width, onPaper) => (onPaper ? 270 : 420),
    description:
      'Cost of the network against step time; lower left is better. The dashed line joins the fabrics that none beats in both.',
  });
  return section(
    'cost',
    'Cost against step time',
    `Lower left is better. The dashed line is the Pareto front: to be faster than a fabric on it costs more. ${indicativeText(fabrics, 'Prices are indicative. ')}The bills of materials below say where each price comes from.`,
    chart.element,
    crowded.length > 0 &&
      h(
        'p',
        {class: 'key', id: 'cost-together'},
        `At the same place, from the outer mark to the inner: ${crowded.join('; ')}.`,
      ),
    numbers(
      'Cost and step time',
      [
        {name: 'Fabric'},
        {name: 'Network', number: true},
        {name: 'Power', number: true},
        {name: 'Step time', number: true},
        {name: labels.ratio_to_best, number: true},
        {name: 'Pareto front'},
      ],
      () =>
        fabrics.map((fabric) => [
          fabric.name,
          dollars(fabric[member.cost_usd]),
          orNot(fabric[member.power_w], watts),
          seconds(fabric[member.step_time_s]),
          orNot(fabric[member.ratio_to_best], ratio),
          front.includes(fabric) ? 'on it' : 'another is cheaper and no slower, or faster and no dearer',
        ]),
    ),
  );
}
