// What a buyer should do, in money for the work done, how sure it is, and what would turn it round.
import * as member from 'weft:members';
import {costed, workCostChart, workCostNumbers} from './charts/work_cost.js';
import {list} from './comparison.js';
import {h} from './dom.js';
import {worded} from './format.js';
import {absent, section} from './section.js';

const KINDS = {clear: 'clear', likely: 'likely, not certain', tie: 'a tie', only: 'no choice', none: 'none'};

const points = (title, texts) =>
  texts.length > 0 && [
    h('h3', {class: 'points-title'}, title),
    h(
      'ul',
      {class: 'points'},
      texts.map((text) => h('li', {}, worded(text))),
    ),
  ];

/** Documents of runs, and of former versions, have none. */
export function recommendation(comparison) {
  const own = comparison.recommendation;
  if (!own) return absent('recommendation', 'Recommendation', 'What a buyer should do');
  const fabrics = costed(comparison);
  const missing = [...new Set(fabrics.flatMap((fabric) => list(fabric[member.work_cost][member.not_counted])))];
  return section(
    'recommendation',
    'Recommendation',
    null,
    h(
      'div',
      {class: `headline ${own.kind}`},
      h('p', {class: 'says'}, worded(own.text)),
      h('p', {class: 'rests'}, h('span', {class: 'badge kind'}, KINDS[own.kind] ?? own.kind), worded(own.sure)),
    ),
    points('What they differ in', list(own[member.choose_by])),
    points(
      'What would turn it round',
      list(own[member.turning_points]).map((point) => point.text),
    ),
    fabrics.length > 0 && [
      h('h3', {}, `Cost of a ${fabrics[0][member.work_cost].unit}`),
      workCostChart(fabrics),
      h(
        'p',
        {class: 'key'},
        'In the order of the recommendation. Bars and figures are of the own step of each; percentages are against the recommended one, where fabrics whose steps do not differ count with the mean of their steps.',
      ),
      workCostNumbers(fabrics),
      missing.length > 0 && h('p', {class: 'key'}, `Not counted: ${missing.join('; ')}.`),
    ],
  );
}
