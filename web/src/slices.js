// What instants mean where a step was put together from slices.
import * as member from 'weft:members';
import {list} from './comparison.js';
import {h} from './dom.js';

/** Whether the fabric's step was put together from operations that ran one after another. */
const composed = (fabric) =>
  list(fabric.collectives).length > 0 || typeof fabric[member.composition_error] === 'number';

/** A note on the clock of the instants; nothing where the whole run was simulated. */
export function clockNote(fabrics) {
  const names = fabrics.filter(composed).map((fabric) => fabric.name);
  if (names.length === 0) return null;
  const whose = names.length === fabrics.length ? '' : ` (${names.join(', ')})`;
  return h(
    'p',
    {class: 'key clock'},
    h('b', {}, 'Clock of the slices'),
    `${whose}: the step is put together from slices. Each kind of operation is simulated once, on a part of its data, one after ` +
      'the other with quiet gaps between them. Instants count on the clock of these slices, not of the step: they do not line ' +
      'up with the timelines, nor between fabrics, and a slice says nothing about how long its operation lasts in the step.',
  );
}
