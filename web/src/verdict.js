// The verdict: sentences from the numbers, each with what it rests on.
import {h} from './dom.js';
import {list, originText} from './comparison.js';
import {worded} from './format.js';
import {absent, section} from './section.js';

const WEIGHTS = {
  money: 'In money for the work done',
  'peak-performance': 'For peak performance',
  'existing-ethernet': 'With Ethernet that is there already',
  balanced: 'Balanced',
};

const SIGNS = {emerges: '◆', catalogue: '▤'};

export function badge(origin) {
  if (!origin) return null;
  return h(
    'span',
    {class: `badge ${origin === 'emerges' ? 'emerges' : 'given'}`},
    h('span', {'aria-hidden': 'true'}, `${SIGNS[origin] ?? '○'} `),
    originText(origin),
  );
}

function sentence(item, first) {
  return h(
    'li',
    {class: first ? 'first' : null},
    h('p', {class: 'says'}, worded(item.text)),
    h('p', {class: 'rests'}, badge(item.origin), item.evidence && h('span', {}, worded(item.evidence))),
  );
}

export function verdict(comparison) {
  const items = list(comparison.verdict);
  if (items.length === 0) return absent('verdict', 'What the figures say', 'A verdict');
  const chosen = comparison.scenario?.weights;
  const groups = [...new Set(items.map((item) => item.weights ?? ''))].sort(
    (a, b) => (a !== '') - (b !== '') || (b === chosen) - (a === chosen),
  );
  let first = true;
  const shown = groups.map((group) => [
    group &&
      h(
        'h3',
        {class: 'weights'},
        WEIGHTS[group] ?? group,
        group === chosen && h('span', {class: 'chosen'}, 'the weights of this comparison'),
      ),
    h(
      'ul',
      {class: 'verdict'},
      items
        .filter((item) => (item.weights ?? '') === group)
        .map((item) => {
          const made = sentence(item, first);
          first = false;
          return made;
        }),
    ),
  ]);
  return section(
    'verdict',
    'What the figures say',
    null,
    shown,
    h(
      'p',
      {class: 'key'},
      badge('emerges'),
      ' follows from the simulation; ',
      badge('catalogue'),
      ' is taken from the catalogue of devices.',
    ),
  );
}
