// The points of a sweep, the best first.
import {h} from '../dom.js';
import {command} from '../reproduce.js';
import {details, numbers, table} from '../section.js';
import {formatOf, intervalOf, ranked} from './figures.js';

const COMMANDS = 10;

const seedsText = (own, format) => own.seeds.map((value) => format(value)).join(', ');

export function pointsOf(sweep, figure) {
  const points = ranked(sweep, figure);
  const format = formatOf(figure);
  return [
    numbers(
      `${figure.figure} of all points, the best first`,
      [{name: 'Point'}, {name: 'Mean', number: true}, {name: '95 % interval', number: true}, {name: 'Each seed'}],
      () =>
        points.map((point) => {
          const own = point[figure.figure];
          return [point.point, format(own.mean), intervalOf(own, format) ?? 'one seed', seedsText(own, format)];
        }),
    ),
    details(`Commands of the best ${Math.min(COMMANDS, points.length)}`, () =>
      points.slice(0, COMMANDS).map((point) => [h('p', {class: 'key'}, point.point), command(point.command)]),
    ),
  ];
}

/** Points that have no figures, with the reason. */
export function refusedOf(sweep) {
  const refused = sweep.points.filter((point) => point.reason);
  return (
    refused.length > 0 &&
    details(`${refused.length} ${refused.length === 1 ? 'point is' : 'points are'} not possible`, () =>
      table(
        'Points without figures',
        [{name: 'Point'}, {name: 'Reason'}],
        refused.map((point) => [point.point, point.reason]),
      ),
    )
  );
}
