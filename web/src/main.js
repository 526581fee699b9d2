// Builds the page from the document that it carries: a comparison, or a sweep.
import {charts, drawAll} from './charts.js';
import {comparisonPage} from './comparison_page.js';
import {readDocument} from './comparison.js';
import {fillAll} from './section.js';
import {SWEEP, sweepPage} from './sweep_page.js';

const carried = readDocument();
if (carried.format === SWEEP) sweepPage(carried);
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
