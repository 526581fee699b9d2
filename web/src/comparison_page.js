// The page of a comparison.
import * as member from 'weft:members';
import {againstBaseline} from './baseline.js';
import {bill} from './bill.js';
import {forgetCharts, watchCharts} from './charts.js';
import {cost} from './charts/cost.js';
import {distributions} from './charts/distributions.js';
import {lostTime} from './charts/lost_time.js';
import {pauses} from './charts/pauses.js';
import {queues} from './charts/queues.js';
import {stepTime} from './charts/step_time.js';
import {timelines} from './charts/timelines.js';
import {topologyMap} from './charts/topology_map.js';
import {tuning} from './charts/tuning.js';
import {list} from './comparison.js';
import {h} from './dom.js';
import {FabricChoice} from './fabric_choice.js';
import {fabricLooks} from './palette.js';
import {contents, frame} from './frame.js';
import {preparePaper} from './paper.js';
import {overview} from './overview.js';
import {recommendation} from './recommendation.js';
import {reproduce} from './reproduce.js';
import {forgetUnfilled, leftOut, section} from './section.js';
import {settings} from './settings.js';
import {verdict} from './verdict.js';
import {forgetClocks} from './zoom.js';

/** A first answer, whose figures carry that as their caution. */
const isQuick = (comparison) =>
  comparison.fabrics.some((fabric) => String(fabric[member.slice_caution] ?? '').startsWith('quick:'));

const SECTIONS = [
  recommendation,
  againstBaseline,
  verdict,
  stepTime,
  overview,
  lostTime,
  timelines,
  distributions,
  topologyMap,
  queues,
  pauses,
  cost,
  tuning,
  settings,
  bill,
  reproduce,
];

function chipsOf(comparison) {
  const scenario = comparison.scenario ?? {};
  const seeds =
    list(scenario.seeds).length > 0
      ? scenario.seeds
      : [scenario.seed].filter((seed) => seed !== undefined && seed !== null);
  return [
    `${comparison.fabrics.length} ${comparison.fabrics.length === 1 ? 'fabric' : 'fabrics'}`,
    scenario.hardware && `hardware ${scenario.hardware}`,
    seeds.length > 0 && `${seeds.length === 1 ? 'seed' : 'seeds'} ${seeds.join(', ')}`,
    scenario.weights && `weights: ${scenario.weights}`,
  ].filter(Boolean);
}

/** Which of the page's openings it is, whatever fabrics are shown. */
const keyOf = (element) =>
  [
    element.closest('section').id,
    element.closest('.block')?.querySelector('h3')?.textContent,
    element.firstChild.textContent,
  ].join(' ');

export function comparisonPage(comparison) {
  const looks = fabricLooks(comparison);
  const scenario = comparison.scenario ?? {};
  const {main, side} = frame({
    motto: ' networks for AI training, compared',
    title: scenario.name ?? 'Networks compared',
    lines: [
      scenario.job && {class: 'job', text: scenario.job},
      scenario.topology && {class: 'network', text: scenario.topology},
    ],
    chips: chipsOf(comparison),
  });
  const choice = new FabricChoice(comparison, looks, showAgain);

  /** A fault in one section takes nothing from the others. */
  function madeOrSaid(make, index) {
    try {
      return make(choice.shown(), looks, comparison);
    } catch (error) {
      console.error(error);
      return section(
        `section-${index}`,
        'A section is missing',
        `It could not be made from these results: ${error.message}`,
      );
    }
  }

  function show() {
    forgetCharts();
    forgetUnfilled();
    forgetClocks();
    const made = SECTIONS.map(madeOrSaid).filter(Boolean);
    const sections = isQuick(comparison) ? leftOut(made) : made;
    main.replaceChildren(...[choice.note(), ...sections].filter(Boolean));
    watchCharts();
    return sections;
  }

  /** With other fabrics, at the same place of the page and with the same things open. */
  function showAgain() {
    const opened = new Set([...main.querySelectorAll('details[open]')].map(keyOf));
    const top = () => [...main.children].find((element) => element.getBoundingClientRect().bottom > 0);
    const before = top();
    const offset = before?.getBoundingClientRect().top ?? 0;
    show();
    for (const element of main.querySelectorAll('details')) element.open = opened.has(keyOf(element));
    const place = before?.id && document.getElementById(before.id);
    if (place) window.scrollBy({top: place.getBoundingClientRect().top - offset, behavior: 'instant'});
  }

  side.append(...[contents(show()), choice.element].filter(Boolean));
  preparePaper(() => ({comparison: choice.shown(), whole: comparison, looks, hidden: choice.note()}));
}
