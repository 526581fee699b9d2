// Where the time of a step goes: computing and the causes of loss, and the parts that the step itself has.
import * as member from 'weft:members';
import {NARROW, axis, barNames, legend, legendHeight, makeChart, roomFor, tip, tooltip} from '../charts.js';
import {having, list, originText} from '../comparison.js';
import {isNumber, percent, plain, seconds, timeUnit} from '../format.js';
import {kindLook} from '../palette.js';
import {absent, absentPart, details, numbers, section, table} from '../section.js';
import {h} from '../dom.js';

const sum = (values) => values.reduce((total, value) => total + value, 0);

/** [{name, rows: [{kind, s}]}] as stacked bars, a bar for each name. */
function stack({id, description, bars}) {
  // A kind that takes no time anywhere is in the table alone.
  const kinds = [...new Set(bars.flatMap((bar) => bar.rows.filter((row) => row.s !== 0).map((row) => row.kind)))];
  const total = (bar) => sum(bar.rows.map((row) => row.s));
  const unit = timeUnit(Math.max(...bars.map(total)));
  const of = (bar, kind) => sum(bar.rows.filter((row) => row.kind === kind).map((row) => row.s));
  const option = (theme, width) => ({
    legend: legend(theme, width, {data: kinds}),
    grid: {
      left: 8,
      right: roomFor(bars.map((bar) => seconds(total(bar)))),
      top: legendHeight(kinds, width) + 8,
      bottom: 34,
      containLabel: true,
    },
    xAxis: axis(theme, {type: 'value', name: `time, ${unit.name}`, nameLocation: 'middle', nameGap: 28, min: 0}),
    yAxis: barNames(
      theme,
      width,
      bars.map((bar) => bar.name),
    ),
    tooltip: tooltip(theme, {
      trigger: 'item',
      formatter: ({seriesName, dataIndex}) =>
        tip(bars[dataIndex].name, [
          [seriesName, seconds(of(bars[dataIndex], seriesName))],
          ['share of the step', percent(of(bars[dataIndex], seriesName) / total(bars[dataIndex]))],
        ]),
    }),
    series: kinds.map((kind, index) => {
      const look = kindLook(kind, index, theme);
      return {
        name: kind,
        type: 'bar',
        stack: 'step',
        barMaxWidth: width < NARROW ? 18 : 34,
        itemStyle: {color: look.color, decal: look.decal, borderColor: theme.surface, borderWidth: 0.5},
        data: bars.map((bar) => of(bar, kind) * unit.factor),
        label:
          index === kinds.length - 1
            ? {
                show: true,
                position: 'right',
                color: theme.ink,
                fontWeight: 700,
                formatter: ({dataIndex}) => seconds(total(bars[dataIndex])),
              }
            : undefined,
      };
    }),
  });
  return makeChart({
    id,
    description,
    option,
    height: (width, onPaper) =>
      50 + legendHeight(kinds, width) + (onPaper ? 28 : width < NARROW ? 44 : 48) * bars.length,
  }).element;
}

const computing = (fabric) =>
  isNumber(fabric[member.compute_s]) ? [{kind: 'computing', s: fabric[member.compute_s]}] : [];

function lost(comparison) {
  const fabrics = having(comparison, (fabric) => fabric[member.lost_time]);
  if (fabrics.length === 0) return absentPart('Lost time by its cause');
  const bars = fabrics.map((fabric) => ({
    name: fabric.name,
    rows: [...computing(fabric), ...fabric[member.lost_time].map((row) => ({kind: row.cause, s: row.s}))],
  }));
  return [
    h('h3', {}, 'Lost time, by cause'),
    stack({
      id: 'lost-time',
      bars,
      description: 'Stacked bars: computing and each cause of lost time, for each fabric.',
    }),
    numbers(
      'Computing and lost time',
      [
        {name: 'Fabric'},
        {name: 'Cause'},
        {name: 'Time', number: true},
        {name: 'Of the step', number: true},
        {name: 'Origin'},
      ],
      () =>
        fabrics.flatMap((fabric) => {
          const whole = sum([...computing(fabric), ...fabric[member.lost_time]].map((row) => row.s));
          return [...computing(fabric).map((row) => ({cause: row.kind, s: row.s})), ...fabric[member.lost_time]].map(
            (row) => [fabric.name, row.cause, seconds(row.s), percent(row.s / whole), originText(row.origin) ?? ''],
          );
        }),
    ),
  ];
}

function parts(comparison) {
  const fabrics = having(comparison, (fabric) => fabric.parts);
  if (fabrics.length === 0) return absentPart('The parts of the step');
  const bars = fabrics.map((fabric) => ({
    name: fabric.name,
    rows: fabric.parts.filter((part) => isNumber(part.exposed_s)).map((part) => ({kind: part.name, s: part.exposed_s})),
  }));
  return [
    h('h3', {}, 'What the step does'),
    h(
      'p',
      {class: 'lead'},
      'Time that each part adds to the step, mean over the GPUs, under the first seed. Communication that computing hides adds nothing.',
    ),
    stack({
      id: 'step-parts',
      bars,
      description: 'Stacked bars: what the parts of the step add to it, for each fabric.',
    }),
    numbers(
      'Parts of the step',
      [
        {name: 'Fabric'},
        {name: 'Part'},
        {name: 'Kind'},
        {name: 'Adds to the step', number: true},
        {name: 'Of it, waiting for others', number: true},
        {name: 'In all', number: true},
      ],
      () =>
        fabrics.flatMap((fabric) =>
          fabric.parts.map((part) => [
            fabric.name,
            part.name,
            part.communication ? 'communication' : 'computing',
            isNumber(part.exposed_s) ? seconds(part.exposed_s) : undefined,
            isNumber(part.waiting_s) ? seconds(part.waiting_s) : undefined,
            isNumber(part.busy_s) ? seconds(part.busy_s) : undefined,
          ]),
        ),
    ),
  ];
}

function path(comparison) {
  const fabrics = having(comparison, (fabric) => fabric.path);
  if (fabrics.length === 0) return null;
  return details('Critical path: what each step waited for, one after the other', () =>
    fabrics.map((fabric) =>
      table(
        `Critical path of ${fabric.name}`,
        [{name: 'What'}, {name: 'Time', number: true}, {name: 'Rank', number: true}, {name: 'Last flow'}],
        list(fabric.path).map((row) => [
          row.what,
          seconds(row.s),
          isNumber(row.rank) ? plain(row.rank) : '',
          row.flow ?? '',
        ]),
      ),
    ),
  );
}

export function lostTime(comparison) {
  const any = [member.lost_time, 'parts', 'path'].some((key) => having(comparison, (fabric) => fabric[key]).length > 0);
  if (!any) return absent('lost-time-section', 'Where the time goes', 'Where the time of a step goes');
  return section(
    'lost-time-section',
    'Where the time goes',
    'The parts of each bar add up to the whole step.',
    lost(comparison),
    parts(comparison),
    path(comparison),
  );
}
