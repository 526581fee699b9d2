// Which pause caused which: trees of ports, the first cause on the left.
import * as member from 'weft:members';
import {makeChart, tip, tooltip} from '../charts.js';
import {having, possible} from '../comparison.js';
import {clockNote} from '../slices.js';
import {h, slug} from '../dom.js';
import {isNumber, seconds} from '../format.js';
import {fabricName} from '../marks.js';
import {absent, numbers, section} from '../section.js';

const MANY = 20; // rows from which labels have one line
const rowHeight = (rows) => (rows < MANY ? 50 : 30); // a mark and its label, with what the layout adds between trees

/** Ports with what they caused under them. A circle of causes is cut where it closes, and says so. */
export function pauseForest(rows) {
  const nodes = rows.map((row) => ({row, name: row.port, children: [], closes: false}));
  const causeOf = (node) =>
    nodes.find((other) => other.row.port === node.row.cause && other.row.lane === node.row.lane) ??
    nodes.find((other) => other.row.port === node.row.cause);
  const parents = new Map();
  const roots = [];
  for (const node of nodes) {
    const cause = node.row.cause ? causeOf(node) : undefined;
    let above = cause;
    while (above && above !== node) above = parents.get(above);
    node.closes = above === node;
    if (!cause || node.closes) roots.push(node);
    else {
      parents.set(node, cause);
      cause.children.push(node);
    }
  }
  return roots;
}

const heldText = (row) => (isNumber(row.held_s) ? `held ${seconds(row.held_s)}` : '');
const labelOf = (node, lines) =>
  [node.name, heldText(node.row), node.closes ? 'closes a circle' : ''].filter(Boolean).join(lines);

const leaves = (node) =>
  node.children.length === 0 ? 1 : node.children.reduce((total, child) => total + leaves(child), 0);
const depth = (node) => 1 + Math.max(0, ...node.children.map(depth));

function treeData(node, theme, {most, lines}) {
  const share = most > 0 && isNumber(node.row.held_s) ? node.row.held_s / most : 0;
  return {
    name: labelOf(node, lines),
    row: node.row,
    symbol: node.children.length > 0 ? 'circle' : 'rect',
    symbolSize: 7 + 11 * Math.sqrt(share),
    children: node.children.map((child) => treeData(child, theme, {most, lines})),
    itemStyle: {
      color: share > 0.5 ? (theme.dark ? '#ff7b72' : '#c92a2a') : theme.dark ? '#f2b155' : '#e08a1e',
      borderColor: theme.ink,
      borderWidth: 0.8,
    },
  };
}

function treeOf(fabric) {
  const roots = pauseForest(fabric.pauses.tree);
  const most = Math.max(0, ...fabric.pauses.tree.map((row) => row.held_s ?? 0));
  const rows = roots.reduce((total, root) => total + leaves(root), 0);
  const marks = {most, lines: rows < MANY ? '\n' : ', '};
  const levels = Math.max(...roots.map(depth));
  const option = (theme, width) => ({
    tooltip: tooltip(theme, {
      trigger: 'item',
      formatter: ({data}) =>
        data?.row &&
        tip(data.row.port, [
          ...(isNumber(data.row.lane) ? [['lane', data.row.lane]] : []),
          ...(isNumber(data.row.first_s) ? [['first paused at', seconds(data.row.first_s)]] : []),
          ...(isNumber(data.row.held_s) ? [['held in all', seconds(data.row.held_s)]] : []),
          ['because of', data.row.cause ?? 'nothing further on'],
        ]),
    }),
    series: [
      {
        type: 'tree',
        name: fabric.name,
        orient: 'LR',
        left: roots.length === 1 ? 90 : 56,
        right: Math.min(180, width * 0.28),
        top: 38,
        bottom: 20,
        roam: false,
        expandAndCollapse: false,
        initialTreeDepth: -1,
        data: [
          roots.length === 1
            ? treeData(roots[0], theme, marks)
            : {
                name: `${roots.length} first causes`,
                symbol: 'emptyCircle',
                symbolSize: 8,
                itemStyle: {color: theme.soft},
                children: roots.map((root) => treeData(root, theme, marks)),
              },
        ],
        lineStyle: {color: theme.faint, width: 1.4, curveness: 0.5},
        label: {
          position: 'top',
          distance: 5,
          verticalAlign: 'bottom',
          align: 'center',
          color: theme.ink,
          fontSize: 11,
          lineHeight: 13,
          width: Math.max(60, (width - 60) / (levels + 1)),
          overflow: 'breakAll',
        },
        leaves: {
          label: {
            position: 'right',
            align: 'left',
            verticalAlign: 'middle',
            distance: 8,
            width: Math.min(170, width * 0.25),
            overflow: 'breakAll',
          },
        },
      },
    ],
  });
  return makeChart({
    id: `pauses-${slug(fabric.name)}`,
    option,
    height: 56 + rowHeight(rows) * rows,
    description: `Tree of pauses of ${fabric.name}: what held which port.`,
  }).element;
}

export function pauses(comparison, looks) {
  const fabrics = having(comparison, (fabric) => fabric.pauses?.tree);
  if (fabrics.length === 0) {
    const quiet = possible(comparison).filter(
      (fabric) => (fabric[member.pause_s] ?? fabric[member.credit_stall_s]) === 0,
    );
    const names = quiet.map(({name}) => name).join(', ');
    return quiet.length === 0
      ? absent('pauses', 'How pauses spread', 'Which pause caused which')
      : section('pauses', 'How pauses spread', `No port was blocked by pauses or missing credits: ${names}.`);
  }
  return section(
    'pauses',
    'How pauses spread',
    'A port that is full holds up those that send to it, by pauses or by keeping credits back; they fill up and hold up others. The first cause is on the left; a larger mark was held for longer.',
    clockNote(fabrics),
    fabrics.map((fabric) => h('div', {class: 'block'}, h('h3', {}, fabricName(fabric, looks)), treeOf(fabric))),
    numbers(
      'Pauses and their causes',
      [
        {name: 'Fabric'},
        {name: 'Port'},
        {name: 'Lane', number: true},
        {name: 'First paused', number: true},
        {name: 'Held in all', number: true},
        {name: 'Because of'},
      ],
      () =>
        fabrics.flatMap((fabric) =>
          fabric.pauses.tree.map((row) => [
            fabric.name,
            row.port,
            isNumber(row.lane) ? String(row.lane) : '',
            isNumber(row.first_s) ? seconds(row.first_s) : undefined,
            isNumber(row.held_s) ? seconds(row.held_s) : undefined,
            row.cause ?? 'nothing further on',
          ]),
        ),
    ),
  );
}
