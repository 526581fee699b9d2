// What is needed to get the same numbers again: command, versions, every resolved setting.
import {h} from './dom.js';
import {list} from './comparison.js';
import {fabricName} from './marks.js';
import {absentPart, details, section} from './section.js';

/** A command to copy. */
export function command(text) {
  const button = h(
    'button',
    {
      type: 'button',
      class: 'control copy',
      onclick: async () => {
        try {
          await navigator.clipboard.writeText(text);
          button.textContent = 'Copied';
        } catch {
          button.textContent = 'Select it and copy';
        }
      },
    },
    'Copy',
  );
  return h('div', {class: 'command'}, h('pre', {tabindex: 0}, text), button);
}

/** Names with values; those without a value are left out. */
export const facts = (rows) =>
  h(
    'dl',
    {class: 'facts'},
    rows
      .filter(([, value]) => value !== undefined && value !== null && value !== '')
      .map(([name, value]) => [h('dt', {}, name), h('dd', {}, String(value))]),
  );

export function reproduce(comparison, looks) {
  const {scenario = {}} = comparison;
  const seeds = list(scenario.seeds).length > 0 ? scenario.seeds.join(', ') : scenario.seed;
  const rows = [
    ['weft', comparison.version],
    ['Format of the results', `${comparison.format} ${comparison.format_version}`],
    ['Scenario', scenario.name],
    ['File', scenario.file],
    ['Case', scenario.case],
    ['Seeds', seeds],
    ['Hardware', scenario.hardware],
    ['Topology', scenario.topology],
    ['Job', scenario.job],
    ['Weights', scenario.weights],
  ];
  const resolved = comparison.fabrics.filter((fabric) => fabric.settings_text);
  return section(
    'reproduce',
    'To get the same numbers again',
    null,
    comparison.reproduce ? command(comparison.reproduce) : null,
    facts(rows),
    h('div', {class: 'resolved'}, h('h3', {}, 'The scenario as it was resolved'), listings(resolved, looks)),
  );
}

function listings(resolved, looks) {
  return resolved.length === 0
    ? absentPart('The resolved scenario')
    : resolved.map((fabric) =>
        details(h('span', {}, fabricName(fabric, looks)), () =>
          h(
            'pre',
            {tabindex: 0, class: 'listing', 'aria-label': `Resolved scenario of ${fabric.name}`},
            fabric.settings_text,
          ),
        ),
      );
}
