// The page of what failures cost: goodput, and how each network recovers.
import {watchCharts} from './charts.js';
import {goodput} from './failures/goodput.js';
import {facing, recovery} from './failures/recovery.js';
import {contents, frame} from './frame.js';
import {isNumber, seconds} from './format.js';
import {fabricLooks} from './palette.js';
import {preparePaper} from './paper.js';
import {command, facts} from './reproduce.js';
import {section} from './section.js';

/** The member `format` of its document. */
export const FAILURES = 'weft-failures';

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
      ['Rates of failure', report.rates],
      ...report.networks.filter(({possible}) => possible).map((network) => [network.name, facing(network)]),
    ]),
  );

// Where nothing ends the job, no interval is the best.
const bestIntervals = (month) =>
  isNumber(month.best_interval_s)
    ? `best ${seconds(month.best_interval_s)}, Young ${seconds(month.young_interval_s)}, Daly ${seconds(month.daly_interval_s)}`
    : 'no failure ends the job';

const checkpoints = (report) => {
  const months = report.networks.filter(({month}) => month);
  return (
    months.length > 0 &&
    section(
      'checkpoints',
      'Checkpoints',
      'Work between two checkpoints; Young’s and Daly’s intervals stand beside the best one.',
      facts(
        months.map(({name, month}) => [
          name,
          `every ${seconds(month.interval_s)} (${bestIntervals(month)}); one takes ${seconds(month.checkpoint_time_s)}, a restart ${seconds(month.restart_s)}`,
        ]),
      ),
    )
  );
};

export function failuresPage(report) {
  const looks = fabricLooks({fabrics: report.networks});
  const count = report.networks.length;
  const {main, side} = frame({
    motto: ' networks for AI training, and their failures',
    title: report.scenario ? `What failures cost: ${report.scenario}` : 'What failures cost',
    lines: [],
    chips: [`${count} ${count === 1 ? 'network' : 'networks'}`, report.rates && `rates: ${report.rates}`].filter(Boolean),
  });
  const sections = [goodput(report, looks), recovery(report, looks), checkpoints(report), again(report)].filter(Boolean);
  main.replaceChildren(...sections);
  side.append(contents(sections));
  watchCharts();
  preparePaper(null);
}
