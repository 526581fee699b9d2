// One step of each fabric on the same clock, lane by lane.
import {axis, legend, makeChart, tip, tooltip} from '../charts.js';
import {having} from '../comparison.js';
import {seconds, timeUnit} from '../format.js';
import {kindLook} from '../palette.js';
import {absent, numbers, section} from '../section.js';

const LANE = 26;
const HEAD = 34;
const MOST_ROWS = 2000; // of the table

/** The kind of a node: "dp all-reduce 3 of 8" and "dp all-reduce 4 of 8" look the same. */
const kindOf = (event) => event.name.replace(/\s*\d+(\s*(of|\/)\s*\d+)?$/, '').trim() || event.name;

function lanesOf(fabric) {
  const names = new Map();
  for (const event of fabric.timeline) names.set(`rank ${event.rank}, ${event.lane}`, [event.rank, names.size]);
  return [...names.keys()].sort((a, b) => names.get(a)[0] - names.get(b)[0] || names.get(a)[1] - names.get(b)[1]);
}

function bars(events, kinds, theme) {
  return (params, api) => {
    const event = events[params.dataIndex];
    const [x, y] = api.coord([api.value(1), api.value(0)]);
    const end = api.coord([api.value(2), api.value(0)])[0];
    const height = LANE * 0.72;
    const look = kindLook(kindOf(event), kinds.indexOf(kindOf(event)), theme);
    const {x: left, width} = params.coordSys;
    const from = Math.max(x, left);
    const to = Math.min(Math.max(end, x + 1), left + width);
    if (to <= from) return null;
    const fits = to - from > event.name.length * 6.4 + 8;
    return {
      type: 'rect', shape: {x: from, y: y - height / 2, width: to - from, height, r: 2},
      style: {fill: look.color, decal: look.decal.symbol === 'none' ? undefined : look.decal},
      textContent: fits ? {style: {text: event.name, fill: theme.dark ? '#f4f7fb' : '#101828', fontSize: 11,
        backgroundColor: theme.dark ? 'rgba(15,20,30,0.55)' : 'rgba(255,255,255,0.78)', padding: [1, 4], borderRadius: 3}} : undefined,
      textConfig: {position: 'inside'},
    };
  };
}

export function timelines(comparison, looks) {
  const fabrics = having(comparison, (fabric) => fabric.timeline);
  if (fabrics.length === 0) return absent('timelines', 'Timelines of a step', 'What each GPU did when');
  const events = fabrics.map((fabric) => fabric.timeline);
  const last = Math.max(...events.flat().map((event) => event.end_s));
  const unit = timeUnit(last);
  const kinds = [...new Set(events.flat().map(kindOf))];
  const lanes = fabrics.map(lanesOf);
  const legendRows = (width) => Math.ceil(kinds.reduce((total, kind) => total + kind.length * 7 + 52, 0) / width);
  const tops = (width) => {
    let top = 24 * legendRows(width) + HEAD + 8;
    return lanes.map((names) => {
      const here = top;
      top += names.length * LANE + HEAD + 26;
      return here;
    });
  };
  const data = events.map((list, index) => list.map((event) => ({
    name: event.name, value: [lanes[index].indexOf(`rank ${event.rank}, ${event.lane}`), event.begin_s * unit.factor, event.end_s * unit.factor],
  })));
  const option = (theme, width) => {
    const top = tops(width);
    const narrow = width < 560;
    return {
      // Kinds have series of their own, empty, because a legend names series.
      legend: legend(theme, {data: kinds, selectedMode: false}),
      title: fabrics.map((fabric, index) => ({text: fabric.name, left: 0, top: top[index] - 26, textStyle: {fontSize: 13, fontWeight: 700, color: theme.ink}})),
      grid: fabrics.map((fabric, index) => ({left: narrow ? 96 : 150, right: 24, top: top[index], height: lanes[index].length * LANE})),
      xAxis: fabrics.map((fabric, index) => axis(theme, {type: 'value', gridIndex: index, min: 0, max: last * unit.factor, axisLabel: {showMaxLabel: false},
        name: index === fabrics.length - 1 ? `time, ${unit.name}` : '', nameLocation: 'middle', nameGap: 26})),
      yAxis: fabrics.map((fabric, index) => axis(theme, {type: 'category', gridIndex: index, inverse: true, data: lanes[index],
        splitLine: {show: false}, axisLabel: {width: narrow ? 88 : 142, overflow: 'truncate'}})),
      dataZoom: [{type: 'inside', xAxisIndex: fabrics.map((_, index) => index), filterMode: 'none', zoomOnMouseWheel: 'ctrl', moveOnMouseMove: false}],
      tooltip: tooltip(theme, {trigger: 'item', formatter: ({seriesIndex, dataIndex}) => {
        const event = events[seriesIndex][dataIndex];
        return tip(event.name, [['rank', event.rank], ['lane', event.lane], ['from', seconds(event.begin_s)], ['to', seconds(event.end_s)],
          ['takes', seconds(event.end_s - event.begin_s)]]);
      }}),
      series: [
        ...fabrics.map((fabric, index) => ({
          name: fabric.name, type: 'custom', xAxisIndex: index, yAxisIndex: index, encode: {x: [1, 2], y: 0}, clip: true,
          itemStyle: {color: looks.get(fabric.name).color(theme)}, data: data[index], renderItem: bars(events[index], kinds, theme),
        })),
        ...kinds.map((kind, index) => {
          const look = kindLook(kind, index, theme);
          return {name: kind, type: 'bar', data: [], itemStyle: {color: look.color, decal: look.decal}};
        }),
      ],
    };
  };
  const chart = makeChart({id: 'timelines', option, description: 'Timelines of a step, one under the other, on the same clock for each fabric.',
    height: (width) => tops(width).at(-1) + lanes.at(-1).length * LANE + 48});
  const rows = fabrics.flatMap((fabric) => fabric.timeline.map((event) =>
    [fabric.name, `rank ${event.rank}`, event.lane, event.name, seconds(event.begin_s), seconds(event.end_s)]));
  const cut = rows.length > MOST_ROWS ? ` (the first ${MOST_ROWS} of ${rows.length})` : '';
  return section('timelines', 'Timelines of a step', 'What GPUs do when, on the same clock for every fabric: the shorter the lanes, the faster the step. Hold Ctrl and turn the wheel to zoom.',
      chart.element, numbers(`Timelines${cut}`, [{name: 'Fabric'}, {name: 'GPU'}, {name: 'Lane'}, {name: 'What'}, {name: 'From', number: true}, {name: 'To', number: true}],
          rows.slice(0, MOST_ROWS)));
}
