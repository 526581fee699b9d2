// The page of where flows go before any run: loads of links as maps, the worst links, what another hash would give.
import {watchCharts} from './charts.js';
import {contents, frame} from './frame.js';
import {percent, rate, significant} from './format.js';
import {preparePaper} from './paper.js';
import {choices} from './paths/choices.js';
import {loads} from './paths/load_map.js';
import {command, facts} from './reproduce.js';
import {section, table} from './section.js';

/** The member `format` of its document. */
export const PATHS = 'weft-paths';

const MOST_ROWS = 12; // of the worst links
const plural = (number, word) => `${number} ${word}${number === 1 ? '' : 's'}`;
const load = (value) => significant(value, 3);

function summary(report, set) {
  const worst = [...set.tiers].sort((a, b) => b.worst_load - a.worst_load)[0];
  return [
    worst && `The worst link is ${worst.worst_port}, which is asked for ${load(worst.worst_load)} times its rate; with all flows spread evenly the worst of its tier would have ${load(worst.even_load)}.`,
    set.max_min_mean !== undefined &&
      `Of what it asks for a flow gets ${percent(set.max_min_mean)} on average, the slowest ${percent(set.max_min_slowest)}.`,
    report.seeds > 0 &&
      worst &&
      `Over ${plural(report.seeds, 'seed')} of the hash the worst link of that tier has ${load(worst.worst_over_seeds.mean)} on average, ${load(worst.worst_over_seeds.least)} with the best seed and ${load(worst.worst_over_seeds.most)} with the worst.`,
    set.without_path > 0 && `${plural(set.without_path, 'flow')} without a path: links that they need are down.`,
  ]
    .filter(Boolean)
    .join(' ');
}

const worstLinks = (set) =>
  table(
    `Worst links of ${set.name}`,
    [
      {name: 'Port'},
      {name: 'To'},
      {name: 'Tier'},
      {name: 'Load', number: true},
      {name: 'Flows', number: true},
      {name: 'Asked for', number: true},
    ],
    [...set.links]
      .sort((a, b) => b.load - a.load)
      .slice(0, MOST_ROWS)
      .map((link) => [link.port, link.to, link.tier, load(link.load), load(link.flows), rate(link.demand_bps)]),
  );

const ofSet = (report, set, number) =>
  section(
    `set-${number}`,
    `Load per link: ${set.name}`,
    summary(report, set),
    set.tiers.length > 0 ? [loads(set, number), worstLinks(set)] : 'No link between switches is used.',
  );

const another = (set, number) =>
  set.variants.length > 0 &&
  section(
    `hash-${number}`,
    `What another hash would give: ${set.name}`,
    'The load of the worst link between switches, over the seeds of the hash; the flows and their headers stay the same.',
    choices(set, number),
  );

const again = (report) =>
  section(
    'reproduce',
    'To get the same numbers again',
    null,
    report.command && command(report.command),
    facts([
      ['weft', report.weft],
      ['Format of the results', `${report.format} ${report.format_version}`],
      ['Scenario', report.scenario],
      ['Routing', report.policy],
      ['Hash', report.function && `${report.function} of ${report.fields}`],
      ['Seeds', report.seeds],
      ['Links down', report.links_down.join(', ')],
    ]),
  );

export function pathsPage(report) {
  const {main, side} = frame({
    motto: ' networks for AI training, before they run',
    title: `Paths of ${report.scenario}`,
    lines: report.notes.map((text) => ({text})),
    chips: [
      `routing ${report.policy}`,
      report.function ? `hash ${report.function} of ${report.fields}` : 'no hash',
      report.links_down.length > 0 && `${plural(report.links_down.length, 'link')} down`,
    ].filter(Boolean),
  });
  const sections = [
    ...report.sets.flatMap((set, number) => [ofSet(report, set, number), another(set, number)]),
    again(report),
  ].filter(Boolean);
  main.replaceChildren(...sections);
  side.append(contents(sections));
  watchCharts();
  preparePaper(null);
}
