// Builds the page from the comparison that it carries.
import {bill} from './bill.js';
import {charts, startCharts} from './charts.js';
import {cost} from './charts/cost.js';
import {distributions} from './charts/distributions.js';
import {lostTime} from './charts/lost_time.js';
import {pauses} from './charts/pauses.js';
import {queues} from './charts/queues.js';
import {stepTime} from './charts/step_time.js';
import {timelines} from './charts/timelines.js';
import {topologyMap} from './charts/topology_map.js';
import {tuning} from './charts/tuning.js';
import {list, readComparison} from './comparison.js';
import {h} from './dom.js';
import {fabricLooks} from './palette.js';
import {openForPaper} from './paper.js';
import {overview} from './overview.js';
import {recommendation} from './recommendation.js';
import {reproduce} from './reproduce.js';
import {section} from './section.js';
import {settings} from './settings.js';
import {currentTheme, onThemeChange, toggleTheme} from './theme.js';
import {verdict} from './verdict.js';

const SECTIONS = [
  recommendation,
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

function themeButton() {
  const text = () => (currentTheme().dark ? '☀ Light' : '☾ Dark');
  const button = h('button', {type: 'button', id: 'theme', class: 'control', onclick: toggleTheme}, text());
  onThemeChange(() => {
    button.textContent = text();
  });
  return button;
}

function header(comparison) {
  const scenario = comparison.scenario ?? {};
  const seeds =
    list(scenario.seeds).length > 0
      ? scenario.seeds
      : [scenario.seed].filter((seed) => seed !== undefined && seed !== null);
  const chips = [
    `${comparison.fabrics.length} ${comparison.fabrics.length === 1 ? 'fabric' : 'fabrics'}`,
    scenario.hardware && `hardware ${scenario.hardware}`,
    seeds.length > 0 && `${seeds.length === 1 ? 'seed' : 'seeds'} ${seeds.join(', ')}`,
    scenario.weights && `weights: ${scenario.weights}`,
  ].filter(Boolean);
  return h(
    'header',
    {class: 'head'},
    h(
      'div',
      {class: 'bar'},
      h('span', {class: 'mark'}, h('b', {}, 'weft'), ' networks for AI training, compared'),
      h(
        'div',
        {class: 'tools'},
        themeButton(),
        h('button', {type: 'button', class: 'control', onclick: () => window.print()}, 'Print'),
      ),
    ),
    h('h1', {}, scenario.name ?? 'Networks compared'),
    scenario.job && h('p', {class: 'job'}, scenario.job),
    scenario.topology && h('p', {class: 'network'}, scenario.topology),
    h(
      'ul',
      {class: 'chips', 'aria-label': 'Scenario'},
      chips.map((chip) => h('li', {}, chip)),
    ),
  );
}

function contents(sections) {
  return h(
    'nav',
    {class: 'contents', 'aria-label': 'Sections'},
    h(
      'ol',
      {},
      sections.map((made) => h('li', {}, h('a', {href: `#${made.id}`}, made.querySelector('h2').textContent))),
    ),
  );
}

const comparison = readComparison();
const looks = fabricLooks(comparison);

/** A fault in one section takes nothing from the others. */
function madeOrSaid(make, index) {
  try {
    return make(comparison, looks);
  } catch (error) {
    console.error(error);
    return section(
      `section-${index}`,
      'A section is missing',
      `It could not be made from these results: ${error.message}`,
    );
  }
}

const sections = SECTIONS.map(madeOrSaid);
document
  .getElementById('page')
  .replaceChildren(
    header(comparison),
    h('div', {class: 'columns'}, contents(sections), h('main', {id: 'content', tabindex: -1}, sections)),
  );
startCharts();
openForPaper();
window.weftReport = {charts, comparison};
