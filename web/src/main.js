// Builds the page from the document that it carries: a comparison, a sweep, failures, or paths.
import {charts, drawAll} from './charts.js';
import {comparisonPage} from './comparison_page.js';
import {readDocument} from './comparison.js';
import {FAILURES, failuresPage} from './failures_page.js';
import {PATHS, pathsPage} from './paths_page.js';
import {fillAll} from './section.js';
import {SWEEP, sweepPage} from './sweep_page.js';

const carried = readDocument();
if (carried.format === SWEEP) sweepPage(carried);
else if (carried.format === FAILURES) failuresPage(carried);
else if (carried.format === PATHS) pathsPage(carried);
else comparisonPage(carried);

window.weftReport = {
  charts,
  comparison: carried,
  /** Every chart drawn and everything that opens filled, for who looks at the whole page. */
  drawAll: () => {
    drawAll();
    fillAll();
  },
};
