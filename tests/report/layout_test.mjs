// On phones, tablets and desktops no text lies on another or leaves its place, no label is cut, no bar is a line, and the page
// holds few nodes.
import assert from 'node:assert/strict';
import {after, before, describe, it} from 'node:test';
import {dataFile, open, reportOf, reportOfDocument, startBrowser, stopBrowser} from './browser.mjs';
import {crowded} from './documents.mjs';
import {wrongTexts} from './texts.mjs';

const WIDTHS = [390, 820, 1440];
const MOST_NODES = 3000;

/** Widths of the events of the timelines, in pixels; runs in the page. */
function eventWidths() {
  return [...document.querySelectorAll('[id^="chart-timeline-"]')].flatMap((chart) => {
    const boxes = [...chart.querySelectorAll('svg path')].map((path) => path.getBoundingClientRect());
    return boxes.filter(({height}) => height > 17 && height < 22).map(({width}) => width);
  });
}

const nodes = (page) => page.evaluate(() => document.querySelectorAll('*').length);
const drawn = (page) =>
  page.evaluate(() => [...window.weftReport.charts].filter(([, {chart}]) => chart).map(([id]) => id));

describe('the layout of the report', () => {
  let pages;
  before(async () => {
    await startBrowser();
    pages = {full: reportOf(dataFile('full.json')), crowded: reportOfDocument(crowded())};
  });
  after(stopBrowser);

  for (const width of WIDTHS) {
    for (const [name, colorScheme] of [
      ['full', width === 390 ? 'dark' : 'light'],
      ['crowded', 'light'],
    ]) {
      it(`has no text on another, none cut and none outside, ${width} pixels wide: ${name}, ${colorScheme}`, async () => {
        const {page, faults, close} = await open(pages[name], {
          viewport: {width, height: 900},
          colorScheme,
          reducedMotion: 'reduce',
        });
        await page.waitForTimeout(100);
        assert.deepEqual(await page.evaluate(wrongTexts), []);
        await page.evaluate(() => document.querySelectorAll('details').forEach((one) => (one.open = true)));
        assert.deepEqual(await page.evaluate(wrongTexts), [], 'with everything open');
        assert.deepEqual(faults, []);
        await close();
      });
    }
  }

  it('draws no event of a timeline as a line', async () => {
    for (const width of WIDTHS) {
      const {page, close} = await open(pages.crowded, {viewport: {width, height: 900}, reducedMotion: 'reduce'});
      const widths = await page.evaluate(eventWidths);
      assert.ok(widths.length > 10, `${widths.length} events`);
      assert.deepEqual(
        widths.filter((one) => one < 2),
        [],
      );
      await close();
    }
  });

  it('draws charts when they come near the view, and takes them away when they are far', async () => {
    const {page, faults, close} = await open(pages.crowded, {
      lazy: true,
      viewport: {width: 1280, height: 800},
      reducedMotion: 'reduce',
    });
    await page.waitForFunction(() => window.weftReport.charts.get('work-cost').chart);
    const first = await drawn(page);
    assert.ok(first.includes('work-cost') && !first.includes('cost') && !first.includes('topology'), first.join(' '));
    assert.ok((await nodes(page)) < MOST_NODES, `${await nodes(page)} nodes`);
    await page.evaluate(() => document.getElementById('cost').scrollIntoView({behavior: 'instant'}));
    await page.waitForFunction(
      () => window.weftReport.charts.get('cost').chart && !window.weftReport.charts.get('work-cost').chart,
    );
    assert.ok((await nodes(page)) < MOST_NODES, `${await nodes(page)} nodes`);
    await page.evaluate(() => window.scrollTo({top: 0, behavior: 'instant'}));
    await page.waitForFunction(
      () => window.weftReport.charts.get('work-cost').chart && !window.weftReport.charts.get('cost').chart,
    );
    assert.deepEqual(faults, []);
    await close();
  });

  it('holds few nodes wherever the reader is', async () => {
    for (const width of WIDTHS) {
      const {page, close} = await open(pages.crowded, {
        lazy: true,
        viewport: {width, height: 900},
        reducedMotion: 'reduce',
      });
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      for (let top = 0; top < height; top += 1200) {
        await page.evaluate((y) => window.scrollTo({top: y, behavior: 'instant'}), top);
        await page.waitForTimeout(60);
        // What is far is taken away when the browser comes to it, on a busy machine later.
        await page
          .waitForFunction((most) => document.querySelectorAll('*').length < most, MOST_NODES, {timeout: 10_000})
          .catch(() => {});
        const now = await nodes(page);
        assert.ok(now < MOST_NODES, `${now} nodes at ${top} of ${height}, ${width} pixels wide`);
      }
      await close();
    }
  });

  it('makes tables when they are opened', async () => {
    const {page, close} = await open(pages.full, {lazy: true});
    const rows = () => page.evaluate(() => document.querySelectorAll('#step-time tbody tr').length);
    assert.equal(await rows(), 0);
    await page.click('#step-time summary');
    await page.waitForFunction(() => document.querySelectorAll('#step-time tbody tr').length === 4);
    await close();
  });
});
