// Colours, and beside each colour a second sign: a symbol, a line type or a pattern. A fabric looks the same everywhere.

const KNOWN = {
  infiniband: ['#0b8f62', '#34d399'],
  'infiniband-ar': ['#4d7c0f', '#bef264'],
  rocev2: ['#2563eb', '#6ea8fe'],
  'rocev2-pfc': ['#0369a1', '#7dd3fc'],
  'rocev2-spray': ['#4338ca', '#a5b4fc'],
  'rocev2-lossy': ['#92400e', '#fcd34d'],
  'rocev2-defaults': ['#be123c', '#fda4af'],
  'rocev2-untuned': ['#d97706', '#fbbf24'],
  rocev1: ['#7c3aed', '#b79bff'],
  iwarp: ['#c2255c', '#f783ac'],
  tcp: ['#52606f', '#a3b1c2'],
  'ultra-ethernet': ['#0b7f94', '#4dd0e1'],
};
const OTHERS = [
  ['#0b7f94', '#4dd0e1'],
  ['#b45309', '#fdba74'],
  ['#6d28d9', '#c4b5fd'],
  ['#1d4ed8', '#93c5fd'],
  ['#047857', '#6ee7b7'],
  ['#86198f', '#f0abfc'],
  ['#854d0e', '#fde047'],
  ['#9f1239', '#fecdd3'],
];
/** Shapes in a square of 10 by 10. */
const SHAPES = [
  'M5 0A5 5 0 1 1 5 10A5 5 0 1 1 5 0Z',
  'M.5 .5H9.5V9.5H.5Z',
  'M5 .5L10 9.5H0Z',
  'M5 0L10 5L5 10L0 5Z',
  'M0 .5H10L5 9.5Z',
  'M3.3 0H6.7V3.3H10V6.7H6.7V10H3.3V6.7H0V3.3H3.3Z',
  'M5 0L9.4 2.5V7.5L5 10L.6 7.5V2.5Z',
  'M5 0L6.6 3.4L10 3.8L7.5 6.2L8.2 10L5 8.1L1.8 10L2.5 6.2L0 3.8L3.4 3.4Z',
];
const LINES = ['solid', [9, 4], [2, 3], [10, 3, 2, 3], [5, 2], [14, 5], [1, 5], [6, 2, 1, 2]];

const stripes = (rotation, width, gap) => ({symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [width, gap], rotation});
const dots = (size) => ({
  symbol: 'circle',
  symbolSize: size,
  dashArrayX: [
    [7, 7],
    [0, 7, 7, 0],
  ],
  dashArrayY: [7, 0],
});
const DECALS = [
  null,
  stripes(-Math.PI / 4, 1.5, 6),
  dots(0.6),
  stripes(Math.PI / 4, 1.5, 5),
  stripes(0, 1.5, 5),
  stripes(Math.PI / 2, 1.5, 5),
  {
    symbol: 'rect',
    symbolSize: 0.6,
    dashArrayX: [
      [6, 6],
      [0, 6, 6, 0],
    ],
    dashArrayY: [6, 0],
  },
  {
    symbol: 'triangle',
    symbolSize: 0.7,
    dashArrayX: [
      [9, 9],
      [0, 9, 9, 0],
    ],
    dashArrayY: [8, 2],
  },
  stripes(-Math.PI / 4, 3.5, 4),
  {
    symbol: 'diamond',
    symbolSize: 0.8,
    dashArrayX: [
      [8, 8],
      [0, 8, 8, 0],
    ],
    dashArrayY: [8, 0],
  },
];

const KINDS = [
  ['#5b7fb5', '#7fa3da'],
  ['#e2883a', '#f0a35e'],
  ['#c9504f', '#e5807f'],
  ['#4f9d97', '#74c2bb'],
  ['#8f6aa8', '#b793d1'],
  ['#b79a2b', '#dcc258'],
  ['#5c9150', '#83ba76'],
  ['#c76f8e', '#e89ab5'],
  ['#8a6d58', '#b39580'],
  ['#738290', '#9bacbb'],
];
const COMPUTE = [
  ['#c3ccd8', '#4a586b'],
  ['#b4c0cf', '#5b6b81'],
  ['#8c9cb1', '#7688a0'],
  ['#a3b1c2', '#667a94'],
  ['#66778d', '#93a5bb'],
  ['#d5cec3', '#6b6357'],
];

const shade = (pair, theme) => pair[theme.dark ? 1 : 0];
const at = (values, index) => values[index % values.length];

function withInk(decal, theme) {
  return decal ? {...decal, color: theme.dark ? 'rgba(10,15,25,0.55)' : 'rgba(255,255,255,0.65)'} : 'none';
}

/** For series that are no fabrics. */
export const symbolAt = (index) => `path://${at(SHAPES, index)}`;
export const lineAt = (index) => at(LINES, index);

/** name -> {color(theme), shape, symbol, line, decal(theme)} for all fabrics of the comparison. */
export function fabricLooks(comparison) {
  const looks = new Map();
  let others = 0;
  comparison.fabrics.forEach((fabric, index) => {
    const taken = [...looks.values()].map((look) => look.pair);
    let pair = KNOWN[fabric.name] ?? KNOWN[fabric.family];
    while (!pair || taken.includes(pair)) pair = others < OTHERS.length ? OTHERS[others++] : [...at(OTHERS, others++)];
    looks.set(fabric.name, {
      pair,
      color: (theme) => shade(pair, theme),
      shape: at(SHAPES, index),
      symbol: symbolAt(index),
      line: at(LINES, index),
      decal: (theme) => withInk(at(DECALS, index), theme),
    });
  });
  return looks;
}

/** The look of the kinds of a stacked chart, in the order in which they come; computing is in greys without a pattern. */
const CALM = ['computing', 'forward', 'backward', 'compute', 'optimizer', 'recompute'];
const MOVING = ['moving the data', ['#a8c3e6', '#41638f']]; // what no network can avoid
export function kindLook(name, index, theme) {
  if (CALM.includes(name)) return {color: shade(at(COMPUTE, CALM.indexOf(name)), theme), decal: 'none'};
  if (name === MOVING[0]) return {color: shade(MOVING[1], theme), decal: 'none'};
  return {color: shade(at(KINDS, index), theme), decal: withInk(at(DECALS, index), theme)};
}

/** Five classes of load; the width of a line says the same as its colour. */
export const LOADS = [
  {below: 0.2, text: 'under 20 %', width: 1, colors: ['#b6c2d1', '#3d4b5f']},
  {below: 0.4, text: '20 to 40 %', width: 2, colors: ['#7fb2e5', '#3f6fa8']},
  {below: 0.6, text: '40 to 60 %', width: 3, colors: ['#3f8fd2', '#5fa8ef']},
  {below: 0.8, text: '60 to 80 %', width: 4, colors: ['#e08a1e', '#f2b155']},
  {below: Infinity, text: '80 % and more', width: 6, colors: ['#c92a2a', '#ff7b72']},
];
export const loadClass = (share) => LOADS.find((load) => share < load.below);
export const loadColor = (load, theme) => shade(load.colors, theme);
