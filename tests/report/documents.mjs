// Documents made from those of tests/data/report/, for tests of what does not fit into those.
import {readData} from './browser.mjs';

const NAMES = [
  'infiniband',
  'infiniband-ar',
  'rocev2',
  'rocev2-pfc',
  'rocev2-spray',
  'rocev2-lossy',
  'rocev2-defaults',
  'rocev2-untuned',
  'iwarp',
  'tcp',
];

const DECISIONS = [
  'flowlet-kept',
  'flowlet-moved',
  'reroute',
  'port-choice',
  'detour',
  'path-change',
  'entries',
  'of-a-later-version', // which the page has no words for
];

/** Decisions of every kind, at each instant; no scheme makes them all. */
export const decisionsOf = (fabric) =>
  DECISIONS.map((decision, kind) => ({
    decision,
    at_s: fabric.topology.instants_s,
    count: fabric.topology.instants_s.map((_, instant) => (instant * 7919 + kind * 104729) % (10 ** (1 + (kind % 6)))),
  }));

/** Many short events in the lanes of two ranks. */
function manyEvents(step) {
  const events = [];
  for (const rank of [0, 32]) {
    for (let index = 0; index < 150; index += 1) {
      const begin = (step * index) / 150;
      events.push({
        rank,
        lane: 'compute',
        name: index % 3 === 0 ? 'forward' : 'backward',
        begin_s: begin,
        end_s: begin + step / 160,
      });
      if (index % 2 === 0)
        events.push({
          rank,
          lane: 'communication',
          name: `dp all-reduce ${index} of 150`,
          begin_s: begin,
          end_s: begin + step / 900,
        });
    }
  }
  return events;
}

/** Ten fabrics with everything, of which some cost the same, take the same time, or nearly so. */
export function crowded() {
  const document = readData('full.json');
  const original = document.fabrics.find(({name}) => name === 'rocev2');
  const impossible = document.fabrics.filter(({possible}) => !possible);
  document.fabrics = NAMES.map((name, index) => {
    const fabric = structuredClone(original);
    const slower = [1, 1, 1.0002, 1.01, 1.0002, 1.08, 1.31, 1.31, 1.17, 4.6][index];
    Object.assign(fabric, {
      name,
      family: name,
      possible: true,
      cost_usd: original.cost_usd * [0.9, 0.9, 1, 1, 1, 1, 1, 1, 0.84, 1][index],
    });
    for (const key of ['step_time_s', 'step_time_low_s', 'step_time_high_s', 'ratio_to_best']) fabric[key] *= slower;
    for (const key of ['usd', 'usd_low', 'usd_high', 'to_recommended']) fabric.work_cost[key] *= slower;
    fabric.collectives = [{purpose: 'dp', kind: 'all-reduce', bytes: 1e9, time_s: 0.1, paths_allow_s: 0.09}];
    fabric.timeline = manyEvents(fabric.step_time_s);
    fabric.decisions = decisionsOf(fabric);
    fabric.settings_text = `${fabric.settings_text}\n`.repeat(80);
    fabric.settings.list = Array.from({length: 40}, () => fabric.settings.list).flat();
    fabric.tuning_risk.cases = Array.from({length: 5}, (_, round) =>
      fabric.tuning_risk.cases.map((one) => ({
        ...one,
        setting: `${one.setting}, and a link between switches degraded ${round}`,
      })),
    ).flat();
    return fabric;
  });
  document.fabrics.push(...impossible.filter(({name}) => !NAMES.includes(name)));
  return document;
}

/** The comparison as it was before a change: a fabric slower, one cheaper, one absent and one that is no longer there. */
export function earlier() {
  const document = readData('full.json');
  const [first, second, ...others] = document.fabrics.filter(({possible}) => possible);
  for (const key of ['step_time_s', 'step_time_low_s', 'step_time_high_s']) second[key] *= 1.25;
  second.work_cost.usd *= 1.25;
  second.work_cost.usd_low *= 1.25;
  second.work_cost.usd_high *= 1.25;
  first.step_time_s *= 1.0001;
  others[0].cost_usd *= 0.5;
  delete others[0].power_w;
  const gone = structuredClone(first);
  gone.name = 'gone';
  document.fabrics = [first, second, others[0], gone];
  return document;
}
