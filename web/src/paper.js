// Paper: a summary of two pages, then an appendix that is kept so short that the whole is twelve pages. What the reader left
// closed is open there; afterwards everything is as it was.
import {fromPaper, toPaper} from './charts.js';
import {h} from './dom.js';
import {fillAll} from './section.js';
import {summary} from './summary.js';

const PAGE = 979; // CSS pixels between the margins of a Letter page, the shorter of Letter and A4
const APPENDIX = 10; // pages
const SLACK = 0.86; // of a page is filled: what does not fit goes to the next page as a whole
const ROOM = APPENDIX * PAGE * SLACK;

/** What is left out while the appendix is too long, the first first: what it is, and where. */
const LEFT_OUT = [
  ['rows of long tables after the twelfth', (main) => [...main.querySelectorAll('details tbody tr:nth-child(n+13)')]],
  ['the table of the timelines', (main) => [...main.querySelectorAll('#timelines details')]],
  ['the table of the links', (main) => [...main.querySelectorAll('#topology details')]],
  [
    'tables under bars',
    (main) => [...main.querySelectorAll('#recommendation details, #step-time details, #cost details')],
  ],
  ['critical paths', (main) => closed(main, /^Critical path/)],
  ['the tables of lost time and parts', (main) => [...main.querySelectorAll('#lost-time-section details')]],
  ['the tables of misconfigurations', (main) => [...main.querySelectorAll('#tuning details')]],
  ['lists of settings', (main) => [...main.querySelectorAll('#settings')]],
  ['the resolved scenarios', (main) => [...main.querySelectorAll('.resolved')]],
  ['texts of licences', () => [...document.querySelectorAll('.foot')]],
  ['other tables of numbers under charts', (main) => closed(main, /^Numbers as a table/)],
  ['what differs from the baseline beside the headlines', (main) => [...main.querySelectorAll('#baseline details')]],
  ['misconfigurations of fabrics after the second', (main) => after(main, '#tuning .block', 2)],
  ['timelines of fabrics after the fourth', (main) => after(main, '#timelines .block', 4)],
  ['bills of fabrics after the third', (main) => after(main, '#bill .block', 3)],
  ['how pauses spread', (main) => [...main.querySelectorAll('#pauses')]],
  ['misconfigurations without a figure', (main) => [...main.querySelectorAll('#tuning .refused')]],
  ['queues', (main) => [...main.querySelectorAll('#queues')]],
  ['load of the links', (main) => [...main.querySelectorAll('#topology')]],
  ['bills', (main) => [...main.querySelectorAll('#bill')]],
  ['misconfigurations', (main) => [...main.querySelectorAll('#tuning')]],
  ['timelines', (main) => [...main.querySelectorAll('#timelines')]],
  ['distributions of latency', (main) => [...main.querySelectorAll('#distributions')]],
  ['what the figures say', (main) => [...main.querySelectorAll('#verdict')]],
  ['the cost chart', (main) => [...main.querySelectorAll('#cost')]],
  ['where the time goes', (main) => [...main.querySelectorAll('#lost-time-section')]],
];

const closed = (main, title) =>
  [...main.querySelectorAll('details')].filter((element) => title.test(element.firstChild.textContent));
const after = (main, selector, count) => [...main.querySelectorAll(selector)].slice(count);

/** Leaves things out until the appendix has room, and puts back what there is room for after all; gives what is out. */
function shorten(main) {
  const length = () => main.offsetHeight + document.querySelector('.foot').offsetHeight;
  const mark = (elements, out) => elements.forEach((element) => element.classList.toggle('paper-out', out));
  const out = [];
  for (const [what, where] of LEFT_OUT) {
    if (length() <= ROOM) break;
    const elements = where(main).filter((element) => !element.closest('.paper-out'));
    mark(elements, true);
    if (elements.length > 0) out.push({what, elements});
  }
  const still = out.filter(({elements}) => {
    mark(elements, false);
    const fits = length() <= ROOM;
    mark(elements, !fits);
    return !fits;
  });
  return still.map(({what}) => what);
}

const leftOutNote = (out) =>
  out.length > 0 &&
  h('p', {class: 'left-out'}, `Left out of these pages, and in the report's file: ${out.join('; ')}.`);

/** `what()` gives what the page shows when it is printed. */
export function preparePaper(what) {
  let opened = [];
  let made = [];
  window.addEventListener('beforeprint', () => {
    const main = document.getElementById('content');
    fillAll();
    opened = [...document.querySelectorAll('details:not([open])')];
    opened.forEach((element) => {
      element.open = true;
    });
    document.documentElement.classList.add('paper');
    toPaper();
    const first = summary(what());
    const title = h('h2', {class: 'appendix-title'}, 'Appendix');
    document.getElementById('page').prepend(first);
    main.prepend(title);
    made = [first, title];
    const note = leftOutNote(shorten(main));
    if (note) main.append(note);
    if (note) made.push(note);
  });
  window.addEventListener('afterprint', () => {
    document.documentElement.classList.remove('paper');
    made.forEach((element) => element.remove());
    document.querySelectorAll('.paper-out').forEach((element) => element.classList.remove('paper-out'));
    opened.forEach((element) => {
      element.open = false;
    });
    [opened, made] = [[], []];
    fromPaper();
  });
}
