// The page of a sweep: the best points, what each key does, all points.
import {watchCharts} from './charts.js';
import {h, slug} from './dom.js';
import {contents, frame} from './frame.js';
import {signedPercent} from './format.js';
import {preparePaper} from './paper.js';
import {command, facts} from './reproduce.js';
import {section} from './section.js';
import {effectsOf} from './sweep/effects.js';
import {formatOf, intervalOf, ranked} from './sweep/figures.js';
import {levelsOf} from './sweep/levels.js';
import {pointsOf, refusedOf} from './sweep/points.js';

/** The member `format` of its document. */
export const SWEEP = 'weft-sweep';

const MOST_NAMES = 5;

function listed(names) {
  const rest = names.length - MOST_NAMES;
  return names.slice(0, MOST_NAMES).join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}

function bestOf(sweep, figure) {
  const points = ranked(sweep, figure);
  if (points.length === 0) return h('p', {class: 'absent'}, `${figure.figure} was not measured at any point.`);
  const format = formatOf(figure);
  const best = points.find((point) => figure.best.includes(point.point)) ?? points[0];
  const own = best[figure.figure];
  const interval = intervalOf(own, format);
  const against = own.mean / points.at(-1)[figure.figure].mean - 1;
  const others = figure.best.filter((name) => name !== best.point);
  return h(
    'div',
    {class: 'block'},
    h('h3', {}, figure.figure),
    h(
      'ul',
      {class: 'verdict'},
      h(
        'li',
        {class: 'first'},
        h('p', {class: 'says'}, `${best.point}: ${format(own.mean)}`),
        h(
          'p',
          {class: 'rests'},
          [
            `${figure.about}; ${figure.better} is better`,
            interval && `95 % interval ${interval}`,
            points.length > 1 && `${signedPercent(against)} against the worst point`,
          ]
            .filter(Boolean)
            .join('; '),
        ),
      ),
    ),
    others.length > 0 && h('p', {class: 'key'}, `As good: ${listed(others)}.`),
    figure.not_known_to_be_worse.length > 0 &&
      h('p', {class: 'key'}, `Not known to be worse with these seeds: ${listed(figure.not_known_to_be_worse)}.`),
    command(best.command),
  );
}

const answer = (sweep) =>
  section(
    'answer',
    'Best points',
    sweep.complete ? null : 'The sweep was interrupted: what follows is of the runs that were made.',
    sweep.figures.map((figure) => bestOf(sweep, figure)),
    refusedOf(sweep),
  );

const ofFigure = (sweep, figure) =>
  section(
    `figure-${slug(figure.figure)}`,
    `What each key does to ${figure.figure}`,
    'A bar is the highest less the lowest mean over the values of a key; of two keys together, what is beyond the effects of each. Whiskers are 95 % confidence intervals.',
    effectsOf(sweep, figure),
    h('h3', {}, 'Over the values of each key'),
    h(
      'p',
      {class: 'lead'},
      'A dot is a point of the sweep, its mean over the seeds; diamonds are the means of the dots. All keys have the same scale: a steep line is a large effect.',
    ),
    levelsOf(sweep, figure),
    pointsOf(sweep, figure),
  );

const again = (sweep) =>
  section(
    'reproduce',
    'To get the same numbers again',
    null,
    sweep.command && command(sweep.command),
    facts([
      ['weft', sweep.weft],
      ['Format of the results', `${sweep.format} ${sweep.format_version}`],
      ['Scenario', sweep.scenario],
      ['Points', `${sweep.points.length}, ${sweep.design === 'grid' ? 'a grid' : 'a Latin hypercube'}`],
      ['Runs', sweep.runs],
      ['First seed', sweep.first_seed],
      ['Fidelity', sweep.fidelity.join('; ')],
      ['Seeds', sweep.chance],
    ]),
  );

export function sweepPage(sweep) {
  const {main, side} = frame({
    motto: ' networks for AI training, settings swept',
    title: `Sweep of ${sweep.scenario.split('/').at(-1)}`,
    lines: [],
    chips: [
      `${sweep.points.length} points`,
      `${sweep.keys.length} ${sweep.keys.length === 1 ? 'key' : 'keys'}`,
      `${sweep.runs} runs`,
      ...sweep.fidelity,
    ],
  });
  const sections = [answer(sweep), ...sweep.figures.map((figure) => ofFigure(sweep, figure)), again(sweep)];
  main.replaceChildren(...sections);
  side.append(contents(sections));
  watchCharts();
  preparePaper(null);
}
