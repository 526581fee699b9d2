// The sign of a fabric beside its name: its colour and its symbol, as in the charts.
import {h, svg} from './dom.js';

export function glyph(look) {
  const [light, dark] = look.pair;
  return svg(
    'svg',
    {
      class: 'glyph',
      viewBox: '-0.5 -0.5 11 11',
      width: 13,
      height: 13,
      'aria-hidden': 'true',
      style: `--light:${light};--dark:${dark}`,
    },
    svg('path', {d: look.shape}),
  );
}

export const fabricName = (fabric, looks) =>
  h('span', {class: 'fabric'}, glyph(looks.get(fabric.name)), h('span', {}, fabric.name));
