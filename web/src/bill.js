// Bills of materials.
import * as member from 'weft:members';
import {having, indicativeText, list, possible} from './comparison.js';
import {h} from './dom.js';
import {count, dollars, isNumber, orNot, watts, worded} from './format.js';
import {fabricName} from './marks.js';
import {absent, details, section, table} from './section.js';

const COLUMNS = [
  {name: 'Part'},
  {name: 'Name'},
  {name: 'Count', number: true},
  {name: 'Each', number: true},
  {name: 'Price', number: true},
  {name: 'Power each', number: true},
  {name: 'Power', number: true},
  {name: 'Price is'},
  {name: 'Source'},
];

function rowOf(line) {
  return [
    line.part,
    line.name,
    count(line.count),
    orNot(line.unit_price_usd, dollars),
    line.owned ? 'owned already' : orNot(line.price_usd, dollars),
    orNot(line.unit_power_w, watts),
    orNot(line[member.power_w], watts),
    line.mark ?? '',
    line.source ?? '',
  ];
}

const RUNNING = {energy_usd: 'energy', upkeep_usd: 'upkeep', staff_usd: 'staff'};

/** What was counted of running it, and what was not because nobody said what it costs. */
function runningCost({[member.running_cost]: running}) {
  if (!running) return null;
  const counted = Object.entries(RUNNING)
    .filter(([key]) => isNumber(running[key]))
    .map(([key, name]) => `${name} ${dollars(running[key])}`);
  const years = isNumber(running.years) ? ` over ${count(running.years)} years` : '';
  return h(
    'p',
    {class: 'key'},
    counted.length > 0 && `Running it${years}: ${counted.join(', ')}. `,
    list(running.not_counted).length > 0 && `Not counted: ${running.not_counted.map(worded).join('; ')}.`,
  );
}

/** What a bill comes to, before it is opened. */
function headOf(fabric) {
  const power = isNumber(fabric[member.power_w]) && watts(fabric[member.power_w]);
  return ['Bill', isNumber(fabric[member.cost_usd]) && dollars(fabric[member.cost_usd]), power]
    .filter(Boolean)
    .join(', ');
}

export function bill(comparison, looks) {
  const fabrics = having(comparison, (fabric) => fabric.bill);
  if (fabrics.length === 0) return absent('bill', 'Bills of materials', 'What each network is made of, and its price');
  const without = possible(comparison).filter((fabric) => list(fabric.bill).length === 0);
  return section(
    'bill',
    'Bills of materials',
    `Switches, network cards, optics and cables, counted from the topology. ${indicativeText(fabrics, 'Prices are indicative. ')}Equipment that is owned already costs nothing but counts for power.`,
    fabrics.map((fabric) =>
      h(
        'div',
        {class: 'block bill'},
        h('h3', {}, fabricName(fabric, looks)),
        runningCost(fabric),
        details(headOf(fabric), () =>
          table(`Bill of materials of ${fabric.name}`, COLUMNS, fabric.bill.map(rowOf), {
            foot: [
              'Total',
              '',
              '',
              '',
              orNot(fabric[member.cost_usd], dollars),
              '',
              orNot(fabric[member.power_w], watts),
              '',
              '',
            ],
          }),
        ),
      ),
    ),
    without.length > 0 && h('p', {class: 'key'}, `Without a bill: ${without.map((fabric) => fabric.name).join(', ')}.`),
    !fabrics.every((fabric) => isNumber(fabric[member.cost_usd])) &&
      h('p', {class: 'key'}, 'A total is missing where a price is.'),
  );
}
