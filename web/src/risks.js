// What may go wrong with the recommended fabric, from its figures; what was not measured is a risk, too.
import * as member from 'weft:members';
import {worstText} from './charts/tuning.js';
import {list, possible} from './comparison.js';
import {isNumber, percent, seconds, signedPercent, worded} from './format.js';

/** The fabric that the recommendation names first, else the fastest. */
export function recommended(comparison) {
  const name = comparison.recommendation?.fabrics?.[0];
  const fabrics = possible(comparison);
  const fastest = fabrics
    .filter((fabric) => isNumber(fabric[member.step_time_s]))
    .sort((a, b) => a[member.step_time_s] - b[member.step_time_s])[0];
  return fabrics.find((fabric) => fabric.name === name) ?? fastest ?? fabrics[0];
}

/** The others whose cost or place is nearest: what would turn the recommendation round. */
function turning(comparison) {
  const points = list(comparison.recommendation?.[member.turning_points]);
  const first = points[0];
  return first && {title: 'The recommendation turns round', text: worded(first.text)};
}

function misconfiguration({name, [member.tuning_risk]: risk}) {
  const title = 'A wrong setting';
  if (!risk || (!isNumber(risk.worst) && !risk[member.worst_fails]))
    return {
      title,
      text: `What a misconfiguration costs ${name} was not measured${risk?.reason ? `: ${worded(risk.reason)}` : ''}.`,
    };
  const worst = risk[member.worst_fails] ? worstText(risk) : `a step takes ${worstText(risk)}`;
  return {
    title,
    text:
      `With the worst misconfiguration tried${risk[member.worst_setting] ? ` (${risk[member.worst_setting]})` : ''}, ${worst}; ` +
      (isNumber(risk.sum)
        ? `one mistake in each setting costs ${signedPercent(risk.sum)} together.`
        : `median of all ${isNumber(risk.median) ? signedPercent(risk.median) : 'not measured'}.`),
  };
}

function failure({name, fault}) {
  const title = 'A failed link';
  if (fault && isNumber(fault[member.lost_s]))
    return {
      title,
      text: `A failed link${fault.link ? ` (${fault.link})` : ''} costs the job ${seconds(fault[member.lost_s])}.`,
    };
  if (fault && (fault[member.messages_failed] > 0 || fault[member.connections_lost] > 0))
    return {title, text: `Connections of ${name} break when a link fails${fault.link ? ` (${fault.link})` : ''}.`};
  return {
    title,
    text: `What a failed link costs ${name} was not measured${fault?.reason ? `: ${worded(fault.reason)}` : ''}.`,
  };
}

function accuracy(fabric) {
  const title = 'The step time is uncertain';
  const caution = fabric[member.slice_caution];
  if (caution) return {title, text: `${worded(caution[0].toUpperCase() + caution.slice(1))}.`};
  if (isNumber(fabric[member.composition_error]) && Math.abs(fabric[member.composition_error]) >= 0.02)
    return {
      title,
      text: `Put together from slices, a smaller job's step is ${signedPercent(fabric[member.composition_error])} off.`,
    };
  return null;
}

function prices(fabric) {
  const cost = fabric[member.work_cost];
  if (!isNumber(cost?.[member.price_uncertainty])) return null;
  const priced = [member.network_usd, member.hosts_usd, member.gpus_usd].filter((name) => cost[name] > 0);
  if (list(cost[member.given_prices]).length >= priced.length) return null;
  return {
    title: 'Prices are indicative',
    text: `Prices of the catalogue may be ${percent(cost[member.price_uncertainty])} off, up or down; an offer may turn the order round.`,
  };
}

/** Three of them, in this order. */
export function risks(comparison) {
  const fabric = recommended(comparison);
  if (!fabric) return [];
  const all = [turning(comparison), accuracy(fabric), misconfiguration(fabric), failure(fabric), prices(fabric)];
  return all.filter(Boolean).slice(0, 3);
}
