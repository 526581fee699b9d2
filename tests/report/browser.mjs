// Chromium without a window, and reports made by the built weft, for tests of the report.
//
// The environment says where things are: WEFT_BINARY, WEFT_CHROMIUM, WEFT_WEB_DIR (holds node_modules), WEFT_TEST_DATA_DIR.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

const {WEFT_BINARY, WEFT_CHROMIUM, WEFT_WEB_DIR, WEFT_TEST_DATA_DIR} = process.env;
const LIMIT = 30_000; // milliseconds, for anything in the browser

let folder;
let browser;

export async function startBrowser() {
  if (!WEFT_CHROMIUM) throw new Error('chromium is needed; scripts/bootstrap installs it');
  folder = mkdtempSync(join(tmpdir(), 'weft-report-'));
  const {chromium} = createRequire(join(WEFT_WEB_DIR, 'package.json'))('playwright-core');
  browser = await chromium.launch({
    executablePath: WEFT_CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu'],
    timeout: LIMIT,
  });
}

export async function stopBrowser() {
  await browser?.close();
  if (folder) rmSync(folder, {recursive: true, force: true});
}

export const weft = (...words) => execFileSync(WEFT_BINARY, words, {encoding: 'utf8', timeout: 120_000});
export const dataFile = (name) => join(WEFT_TEST_DATA_DIR, 'report', name);
export const readData = (name) => JSON.parse(readFileSync(dataFile(name), 'utf8'));
export const scratch = (name) => join(folder, name);

/** The report of a results file, as a URL; of a second one, if there is one, as its baseline. */
export function reportOf(results, baseline) {
  const page = scratch(`report-${Math.random().toString(36).slice(2)}.html`);
  weft('report', results, ...(baseline ? ['--baseline', baseline] : []), '-o', page);
  return pathToFileURL(page).href;
}

/** A document as a results file. */
export function resultsFile(document) {
  const file = scratch(`results-${Math.random().toString(36).slice(2)}.json`);
  writeFileSync(file, JSON.stringify(document));
  return file;
}

/** The report of a document. */
export const reportOfDocument = (document, baseline) =>
  reportOf(resultsFile(document), baseline && resultsFile(baseline));

/**
 * A page with the report, and everything that went wrong on it: errors, requests, dialogs. Every chart is drawn and everything
 * that opens is filled, unless `lazy` leaves that to the reader's scrolling and opening.
 */
export async function open(url, {lazy = false, ...options} = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
  context.setDefaultTimeout(LIMIT);
  await context.setOffline(true);
  const page = await context.newPage();
  const faults = [];
  page.on(
    'console',
    (message) => ['error', 'warning'].includes(message.type()) && faults.push(`${message.type()}: ${message.text()}`),
  );
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
  page.on(
    'request',
    (request) =>
      request.url() !== url && !request.url().startsWith('data:') && faults.push(`request: ${request.url()}`),
  );
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.goto(url);
  await page.waitForFunction(() => window.weftReport !== undefined);
  if (!lazy) await page.evaluate(() => window.weftReport.drawAll());
  return {page, faults, close: () => context.close()};
}

/** What ECharts says that it drew. Functions do not come along. */
export const optionOf = (page, id) =>
  page.evaluate((name) => JSON.parse(JSON.stringify(window.weftReport.charts.get(name).chart.getOption())), id);
