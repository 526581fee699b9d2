// The table: fabrics as columns, the rows that buyers compare first, then what was measured.
import * as labels from 'weft:labels';
import * as member from 'weft:members';
import {changeBelow} from './baseline.js';
import {h} from './dom.js';
import {impossible, isIndicative, list, possible} from './comparison.js';
import {intervalText} from './charts/step_time.js';
import {worstText} from './charts/tuning.js';
import {
  NOT_MEASURED,
  count,
  dollars,
  isNumber,
  microseconds,
  percent,
  plain,
  ratio,
  seconds,
  signedPercent,
  watts,
  worded,
} from './format.js';
import {fabricName} from './marks.js';
import {scrolling, section} from './section.js';
import {devicesText} from './settings.js';

/** `name` is the figure's in the results, if its change against a baseline is shown. */
const figure = (label, get, format, name) => ({
  label,
  cell: (fabric) => {
    const value = get(fabric);
    return isNumber(value) ? [format(value), name && changeBelow(fabric, name)] : undefined;
  },
});

const aloneText = (job) => (isNumber(job[member.alone_s]) ? `, ${seconds(job[member.alone_s])} alone` : '');

/** Up more than twice as far as down, and by more than a tenth: the step is little more than a lower bound. */
const reachesUp = (fabric) => {
  const [low, mean, high] = [
    fabric[member.step_time_low_s],
    fabric[member.step_time_s],
    fabric[member.step_time_high_s],
  ];
  return [low, mean, high].every(isNumber) && high - mean > 2 * (mean - low) && high - mean > mean / 10;
};

const UNITS = {
  [member.usd_per_ktoken_s]: 'for a thousand tokens a second',
  [member.usd_per_run_per_s]: 'for a run a second',
};

function faultText(fault) {
  const under = [
    fault.link,
    isNumber(fault[member.reroute_delay_s]) && `routes avoid it after ${seconds(fault[member.reroute_delay_s])}`,
    fault[member.messages_failed] > 0 && `messages that failed: ${count(fault[member.messages_failed])}`,
    fault[member.connections_lost] > 0 && `connections lost: ${count(fault[member.connections_lost])}`,
    fault.reason,
  ].filter(Boolean);
  const value = isNumber(fault[member.lost_s])
    ? seconds(fault[member.lost_s])
    : fault[member.connections_lost] > 0
      ? 'connections break'
      : undefined;
  return (value || fault.reason) && [value ?? NOT_MEASURED, under.map((text) => h('span', {class: 'below'}, text))];
}

const GROUPS = [
  [
    'Time of a step',
    [
      {
        label: labels.step_time_s,
        cell: (fabric) =>
          isNumber(fabric[member.step_time_s]) && [
            h('b', {}, seconds(fabric[member.step_time_s])),
            intervalText(fabric) && h('span', {class: 'below'}, `95 %: ${intervalText(fabric)}`),
            changeBelow(fabric, member.step_time_s),
          ],
      },
      {
        label: labels.ratio_to_best,
        cell: (fabric) =>
          isNumber(fabric[member.ratio_to_best]) && [
            ratio(fabric[member.ratio_to_best]),
            fabric[member.differs_from_best] === false &&
              fabric[member.ratio_to_best] > 1 &&
              h(
                'span',
                {class: 'below'},
                reachesUp(fabric) ? 'not known: the interval reaches up' : 'no difference',
              ),
          ],
      },
      {
        label: labels.jobs,
        cell: (fabric) =>
          list(fabric.jobs).length > 0 &&
          list(fabric.jobs).map((job) =>
            h('span', {class: 'below'}, `${job.name}: ${seconds(job[member.step_time_s])}${aloneText(job)}`),
          ),
      },
      figure(labels.tokens_per_second, (fabric) => fabric[member.tokens_per_second], count, member.tokens_per_second),
      figure(labels.model_flops_utilisation, (fabric) => fabric[member.model_flops_utilisation], percent),
      figure(labels.compute_s, (fabric) => fabric[member.compute_s], seconds),
      figure(
        labels.exposed_communication_s,
        (fabric) => fabric[member.exposed_communication_s],
        seconds,
        member.exposed_communication_s,
      ),
      figure(
        labels.bus_bandwidth_gbytes_per_s,
        (fabric) => fabric[member.bus_bandwidth_gbytes_per_s],
        (value) => `${plain(value)} GB/s`,
      ),
      {
        label: labels.composition_error,
        cell: (fabric) =>
          isNumber(fabric[member.composition_error]) && [
            signedPercent(fabric[member.composition_error]),
            fabric[member.composition_check] && h('span', {class: 'below'}, fabric[member.composition_check]),
          ],
      },
    ],
  ],
  [
    'Messages',
    [
      figure(labels.fct_us_p50, (fabric) => fabric[member.fct_us]?.p50, microseconds),
      figure(labels.fct_us_p99, (fabric) => fabric[member.fct_us]?.p99, microseconds),
      figure(labels.fct_us_p999, (fabric) => fabric[member.fct_us]?.p999, microseconds),
      figure(labels.small_message_idle_us, (fabric) => fabric[member.small_message]?.[member.idle_us], microseconds),
      figure(
        labels.small_message_loaded_p50_us,
        (fabric) => fabric[member.small_message]?.[member.loaded_p50_us],
        microseconds,
      ),
      figure(
        labels.small_message_loaded_p99_us,
        (fabric) => fabric[member.small_message]?.[member.loaded_p99_us],
        microseconds,
      ),
      figure(
        labels.small_message_loaded_p999_us,
        (fabric) => fabric[member.small_message]?.[member.loaded_p999_us],
        microseconds,
      ),
      figure(labels.jitter_us, (fabric) => fabric[member.jitter_us], microseconds, member.jitter_us),
    ],
  ],
  [
    'Network',
    [
      figure(labels.drops, (fabric) => fabric.drops, count, 'drops'),
      figure(labels.retransmissions, (fabric) => fabric.retransmissions, count, 'retransmissions'),
      figure(labels.marks, (fabric) => fabric.marks, count),
      figure(labels.pause_s, (fabric) => fabric[member.pause_s], seconds),
      figure(labels.credit_stall_s, (fabric) => fabric[member.credit_stall_s], seconds),
      {
        label: 'Outage when a link fails',
        unless: 'Fault recovery',
        cell: (fabric) => isNumber(fabric.fault?.[member.outage_us]) && microseconds(fabric.fault[member.outage_us]),
      },
      {label: 'Time lost to a failed link', cell: (fabric) => fabric.fault && faultText(fabric.fault)},
      figure(
        labels.cpu_cores_per_host,
        (fabric) => fabric[member.cpu_cores_per_host],
        (value) => `${plain(value)} cores`,
      ),
      {
        label: 'Settings to get right',
        cell: (fabric) =>
          isNumber(fabric.settings?.count) && [
            fabric.settings.count === 0 ? 'none: factory defaults' : count(fabric.settings.count),
            isNumber(fabric.settings.devices) &&
              fabric.settings.count !== 0 &&
              h('span', {class: 'below'}, `on ${devicesText(fabric.settings.devices)}`),
          ],
      },
      {label: 'Vendors', unless: 'Vendors in the catalogue', cell: (fabric) => fabric.vendors},
    ],
  ],
  [
    'Cost',
    [
      {
        label: labels.work_cost_usd,
        cell: (fabric) =>
          isNumber(fabric[member.work_cost]?.usd) && [
            h('b', {}, dollars(fabric[member.work_cost].usd)),
            h('span', {class: 'below'}, `for a ${fabric[member.work_cost].unit}`),
            changeBelow(fabric, `${member.work_cost}.usd`),
          ],
      },
      {
        label: labels.work_cost_to_recommended,
        cell: (fabric) =>
          isNumber(fabric[member.work_cost]?.[member.to_recommended]) &&
          signedPercent(fabric[member.work_cost][member.to_recommended] - 1),
      },
      figure(labels.cost_usd, (fabric) => fabric[member.cost_usd], dollars, member.cost_usd),
      figure(labels.power_w, (fabric) => fabric[member.power_w], watts, member.power_w),
      {
        label: 'Network, per unit of work',
        cell: (fabric) =>
          fabric[member.cost_per_unit] &&
          Object.entries(fabric[member.cost_per_unit])
            .filter(([, value]) => isNumber(value))
            .map(([unit, value]) => [dollars(value), h('span', {class: 'below'}, UNITS[unit] ?? unit)]),
      },
    ],
  ],
  [
    'Tuning risk',
    [
      figure(labels.tuning_risk_sum, (fabric) => fabric[member.tuning_risk]?.sum, signedPercent),
      {
        label: labels.tuning_risk_worst,
        cell: (fabric) =>
          (isNumber(fabric[member.tuning_risk]?.worst) || fabric[member.tuning_risk]?.[member.worst_fails]) && [
            worstText(fabric[member.tuning_risk]),
            fabric[member.tuning_risk][member.worst_setting] &&
              h('span', {class: 'below'}, fabric[member.tuning_risk][member.worst_setting]),
          ],
      },
    ],
  ],
];

const PRICE = labels.cost_usd; // of the rows that buyers compare: shown with the digits of the page
const ORIGINS = {emerges: null, catalogue: 'catalogue', 'not measured': null};

/** The rows of the document; a label that one fabric alone has is a row too. */
function buyersRows(fabrics) {
  const texts = [...new Set(fabrics.flatMap((fabric) => list(fabric.rows).map((row) => row.label)))];
  return texts.map((text) => ({
    label: text,
    cell: (fabric) => {
      const row = list(fabric.rows).find((candidate) => candidate.label === text);
      if (!row || row.value === NOT_MEASURED || row.origin === NOT_MEASURED) return undefined;
      const origin = ORIGINS[row.origin];
      const own = text === PRICE && isNumber(fabric[member.cost_usd]);
      const mark = isIndicative(fabric) ? ' (indicative)' : '';
      const value = own ? `${dollars(fabric[member.cost_usd])}${mark}` : worded(row.value);
      return [value, origin && h('span', {class: 'below'}, `▤ ${origin}`)];
    },
  }));
}

const filled = (value) =>
  !(
    value === undefined ||
    value === null ||
    value === false ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  );

/** Counters of NICs that have a line of their own in a run's summary: a row for each name that any fabric counted. */
function counterRows(fabrics) {
  const names = [...new Set(fabrics.flatMap((fabric) => list(fabric[member.nic_totals]).map((total) => total.name)))];
  const value = (fabric, name) => list(fabric[member.nic_totals]).find((total) => total.name === name)?.value;
  const counted = names.filter((name) => fabrics.some((fabric) => value(fabric, name) > 0));
  return counted.map((name) => figure(capital(name), (fabric) => value(fabric, name), count));
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function rowElement(row, fabrics) {
  return h(
    'tr',
    {},
    h('th', {scope: 'row'}, row.label),
    fabrics.map((fabric) => {
      const value = fabric.possible ? row.cell(fabric) : null;
      if (value === null) return h('td', {class: 'missing'}, h('span', {'aria-label': 'not possible'}, '–'));
      return !filled(value) ? h('td', {class: 'missing'}, NOT_MEASURED) : h('td', {}, value);
    }),
  );
}

function groupElement(title, rows, fabrics) {
  const known = rows.filter((row) => fabrics.some((fabric) => fabric.possible && filled(row.cell(fabric))));
  // A row of what buyers compare may say the same in words.
  const said = (row) =>
    row.unless && fabrics.some((fabric) => list(fabric.rows).some(({label}) => label === row.unless));
  const unknown = rows.filter((row) => !known.includes(row) && !said(row));
  return h(
    'tbody',
    {},
    h('tr', {class: 'group'}, h('th', {scope: 'rowgroup', colspan: fabrics.length + 1}, title)),
    known.map((row) => rowElement(row, fabrics)),
    unknown.length > 0 &&
      h(
        'tr',
        {},
        h(
          'td',
          {class: 'missing', colspan: fabrics.length + 1},
          `${NOT_MEASURED}: ${unknown.map((row) => row.label).join('; ')}`,
        ),
      ),
  );
}

function whyNot(fabrics, looks) {
  return (
    fabrics.length > 0 &&
    h(
      'div',
      {class: 'notice', id: 'not-possible'},
      h('h3', {}, 'Not possible for this scenario'),
      h(
        'ul',
        {},
        fabrics.map((fabric) =>
          h('li', {}, fabricName(fabric, looks), h('span', {}, `: ${fabric.reason || 'no reason given'}`)),
        ),
      ),
    )
  );
}

export function overview(comparison, looks) {
  const fabrics = comparison.fabrics;
  const buyers = buyersRows(possible(comparison));
  const head = h(
    'thead',
    {},
    h(
      'tr',
      {},
      h('th', {scope: 'col'}, 'Figure'),
      fabrics.map((fabric) =>
        h(
          'th',
          {scope: 'col'},
          fabricName(fabric, looks),
          !fabric.possible && h('span', {class: 'below'}, '✕ not possible'),
        ),
      ),
    ),
  );
  const table = h(
    'table',
    {class: 'overview', id: 'overview-table'},
    h('caption', {}, 'All figures, a column for each fabric'),
    head,
    buyers.length > 0 && groupElement('What buyers compare', buyers, fabrics),
    GROUPS.map(([title, rows]) =>
      groupElement(title, title === 'Network' ? [...rows, ...counterRows(fabrics)] : rows, fabrics),
    ),
  );
  return section(
    'overview',
    'Side by side',
    'The rows that buyers compare come first. "Not measured" is not zero: nobody knows it from this comparison.',
    whyNot(impossible(comparison), looks),
    scrolling(table, 'All figures, a column for each fabric'),
  );
}
