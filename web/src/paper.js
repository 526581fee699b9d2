// Paper: a summary of two pages, then an appendix that is kept so short that the whole is twelve pages. What the reader left
// closed is open there; afterwards everything is as it was.
import {fromPaper, toPaper} from './charts.js';
import {h} from './dom.js';
import {fillAll} from './section.js';
import {summary} from './summary.js';

const PAGE = 950; // CSS pixels between the margins of a Letter page, the shorter of Letter and A4, less a repeated head of a table
const APPENDIX = 10; // pages

const UNBROKEN = '.chart, .whole, .notice, .command, tr, caption, p, li, dt, h2, h3, summary'; // stays on one page
const WITH_NEXT = 'h2, h3, .lead, summary, caption'; // on the page of what follows

/** On how many pages the appendix goes, by what print.css keeps together. */
function pagesOf(main) {
  const blocks = [...main.querySelectorAll(UNBROKEN)]
    .filter((element) => element.offsetHeight > 0 && !element.parentElement.closest(UNBROKEN))
    .map((element) => ({element, box: element.getBoundingClientRect()}))
    .sort((a, b) => a.box.top - b.box.top);
  let pages = 1;
  let start = main.getBoundingClientRect().top;
  const turn = (bottom, top) => {
    if (bottom - start <= PAGE) return;
    pages += 1;
    start = Math.max(start + 1, top);
    while (bottom - start > PAGE) {
      pages += 1;
      start += PAGE;
    }
  };
  let heading = null; // the top of headings that wait for what follows
  for (const {element, box} of blocks) {
    turn(box.bottom, heading ?? box.top);
    heading = element.matches(WITH_NEXT) ? (heading ?? box.top) : null;
  }
  const foot = document.querySelector('.foot');
  if (foot.offsetHeight > 0) turn(foot.getBoundingClientRect().bottom, start + PAGE);
  return pages;
}

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
  const fits = () => pagesOf(main) <= APPENDIX;
  const mark = (elements, out) => elements.forEach((element) => element.classList.toggle('paper-out', out));
  const out = [];
  for (const [what, where] of LEFT_OUT) {
    if (fits()) break;
    const elements = where(main).filter((element) => !element.closest('.paper-out'));
    mark(elements, true);
    if (elements.length > 0) out.push({what, elements});
  }
  const still = out.filter(({elements}) => {
    mark(elements, false);
    if (fits()) return false;
    mark(elements, true);
    return true;
  });
  return still.map(({what}) => what);
}

const leftOutNote = (out) =>
  out.length > 0 &&
  h('p', {class: 'left-out'}, `Left out of these pages, and in the report's file: ${out.join('; ')}.`);

/** `what()` gives what the page of a comparison shows when it is printed; null: there is no summary to come first. */
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
    if (what) {
      const first = summary(what());
      const title = h('h2', {class: 'appendix-title'}, 'Appendix');
      document.getElementById('page').prepend(first);
      main.prepend(title);
      made = [first, title];
    }
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
