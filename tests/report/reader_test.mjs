// What a reader does to see more, or less: hides fabrics, zooms by a drag, holds the report against a baseline.
import assert from 'node:assert/strict';
import {after, before, describe, it} from 'node:test';
import {
  dataFile,
  open,
  optionOf,
  readData,
  reportOf,
  reportOfDocument,
  resultsFile,
  startBrowser,
  stopBrowser,
} from './browser.mjs';
import {earlier} from './documents.mjs';

const comparison = readData('full.json');
const names = comparison.fabrics.filter(({possible}) => possible).map(({name}) => name);
const hide = (page, name) => page.click(`#fabric-choice label:has-text("${name}") >> nth=0`);
const zoomOf = async (page, id) => (await optionOf(page, id)).dataZoom;

/** Drags with the mouse from one share of a chart's plot to another. */
async function drag(page, id, [fromX, fromY], [toX, toY]) {
  await page.locator(`#chart-${id}`).scrollIntoViewIfNeeded();
  const plot = await page.evaluate((name) => {
    const {chart, element} = window.weftReport.charts.get(name);
    const grid = chart.getModel().queryComponents({mainType: 'grid'})[0].coordinateSystem.getRect();
    const corner = element.getBoundingClientRect();
    return {x: corner.left + grid.x, y: corner.top + grid.y, width: grid.width, height: grid.height};
  }, id);
  await page.mouse.move(plot.x + fromX * plot.width, plot.y + fromY * plot.height);
  await page.mouse.down();
  await page.mouse.move(plot.x + toX * plot.width, plot.y + toY * plot.height, {steps: 4});
  await page.mouse.up();
}

describe('a reader of the report', () => {
  let url;
  before(async () => {
    await startBrowser();
    url = reportOf(dataFile('full.json'));
  });
  after(stopBrowser);

  it('hides a fabric in every chart and table, and shows it again', async () => {
    const {page, faults, close} = await open(url);
    const look = async () => (await optionOf(page, 'step-time')).series[0].data.map(({itemStyle}) => itemStyle.color);
    const [, second, ...others] = await look();
    await page.click('#step-time summary');
    await hide(page, 'infiniband');
    await page.evaluate(() => window.weftReport.drawAll());
    assert.deepEqual((await optionOf(page, 'step-time')).yAxis[0].data, names.slice(1));
    assert.deepEqual(await look(), [second, ...others], 'the others keep their colours');
    assert.ok(!(await page.evaluate(() => window.weftReport.charts.has('timeline-infiniband'))));
    assert.ok((await optionOf(page, 'fct')).series.every(({name}) => name !== 'infiniband'));
    assert.ok(!(await page.textContent('#overview-table thead')).includes('infiniband'));
    assert.match(await page.textContent('#hidden-fabrics'), /^Hidden: infiniband\. /);
    assert.ok(await page.evaluate(() => document.querySelector('#step-time details').open), 'stays open');
    await page.click('#fabric-choice button');
    await page.evaluate(() => window.weftReport.drawAll());
    assert.deepEqual((await optionOf(page, 'step-time')).yAxis[0].data, names);
    assert.equal(await page.$('#hidden-fabrics'), null);
    assert.deepEqual(faults, []);
    await close();
  });

  it('keeps one fabric at least', async () => {
    const {page, faults, close} = await open(url);
    const boxes = page.locator('#fabric-choice input');
    for (let index = 0; index < comparison.fabrics.length - 1; index += 1) await boxes.nth(index).uncheck();
    assert.ok(await boxes.last().isDisabled());
    assert.deepEqual(faults, []);
    await close();
  });

  it('zooms by a drag, in all timelines together, and shows the whole again', async () => {
    const {page, faults, close} = await open(url);
    const last = (await optionOf(page, 'timeline-tcp')).xAxis[0].max;
    await drag(page, 'timeline-infiniband', [0.25, 0.5], [0.5, 0.5]);
    for (const id of ['timeline-infiniband', 'timeline-tcp']) {
      const [zoom] = await zoomOf(page, id);
      assert.ok(Math.abs(zoom.startValue - 0.25 * last) < 0.02 * last, `${id} from ${zoom.startValue}`);
      assert.ok(Math.abs(zoom.endValue - 0.5 * last) < 0.02 * last, `${id} to ${zoom.endValue}`);
    }
    await page.click('#theme');
    assert.ok((await zoomOf(page, 'timeline-tcp'))[0].start > 20, 'stays when the chart is drawn again');
    await page.click('#timelines .block:last-of-type .zoom-bar button');
    for (const id of ['timeline-infiniband', 'timeline-tcp']) {
      const [{start, end}] = await zoomOf(page, id);
      assert.deepEqual([start, end], [0, 100], id);
    }
    assert.deepEqual(faults, []);
    await close();
  });

  it('zooms along both axes of cost, on a logarithmic axis, and back by a double click', async () => {
    const {page, faults, close} = await open(url);
    await drag(page, 'cost', [0.1, 0.1], [0.6, 0.7]);
    const [x, y] = await zoomOf(page, 'cost');
    assert.ok(x.end - x.start < 70 && y.end - y.start < 80, JSON.stringify([x, y]));
    await page.dblclick('#chart-cost', {position: {x: 200, y: 100}});
    assert.deepEqual(
      (await zoomOf(page, 'cost')).map(({start, end}) => [start, end]),
      [
        [0, 100],
        [0, 100],
      ],
    );
    await drag(page, 'small-message', [0.4, 0.5], [0.6, 0.5]);
    const [zoom] = await zoomOf(page, 'small-message');
    assert.ok(zoom.start > 0 && zoom.end < 100 && zoom.start < zoom.end, JSON.stringify(zoom));
    assert.deepEqual(faults, []);
    await close();
  });

  it('does not take a click for a zoom', async () => {
    const {page, close} = await open(url);
    await drag(page, 'queues', [0.4, 0.5], [0.402, 0.5]);
    const [{start, end}] = await zoomOf(page, 'queues');
    assert.deepEqual([start, end], [0, 100]);
    await close();
  });

  it('sees at every headline figure what differs from a baseline', async () => {
    const {page, faults, close} = await open(reportOf(dataFile('full.json'), resultsFile(earlier())));
    const text = (await page.textContent('#baseline')).replace(/\s+/g, ' ');
    const [first, second] = names;
    assert.match(text, /Only in the baseline: gone \(step time 402 ms\)\./);
    const known = names.slice(0, 3);
    const news = comparison.fabrics.map(({name}) => name).filter((name) => !known.includes(name));
    assert.ok(text.includes(`Only in this report: ${news.join(', ')}`), text.slice(0, 600));
    const rows = await page.$$eval('#baseline .headlines tbody tr', (found) =>
      found.map((row) => [...row.cells].map((cell) => cell.textContent)),
    );
    const of = (fabric, figure) => rows.find((row) => row[0] === fabric && row[1] === figure)?.slice(2);
    assert.deepEqual(of(second, 'Step time'), ['511.3 ms', '409 ms', '−20 %']);
    assert.deepEqual(of(first, 'Step time'), ['402 ms', '402 ms', 'none: intervals overlap']);
    assert.deepEqual(of(second, 'Price of the network')[2], 'equal');
    assert.equal(of(names[2], 'Price of the network')[2], '+100 %');
    assert.equal(of(names[2], 'Power of the network')[0], 'not measured', 'absent is not zero');
    const overview = (await page.textContent('#overview-table')).replace(/\s+/g, ' ');
    for (const expected of [
      '−20 % to the baseline',
      'no difference to the baseline',
      'not in the baseline',
      '+100 % to the baseline',
    ])
      assert.ok(overview.includes(expected), expected);
    const marks = (await optionOf(page, 'step-time')).series.find(({name}) => name === 'baseline').data;
    assert.deepEqual(
      marks.map(([, place]) => place),
      [0, 1, 2],
    );
    assert.ok(Math.abs(marks[1][0] - 1.25 * 409) < 1e-6);
    assert.deepEqual(faults, []);
    await close();
  });

  it('is told that nothing differs from the same results', async () => {
    const {page, faults, close} = await open(reportOf(dataFile('full.json'), dataFile('full.json')));
    assert.match(await page.textContent('#baseline'), /Nothing differs in the fabrics that both have\./);
    assert.deepEqual(faults, []);
    await close();
    const none = await open(reportOfDocument(comparison));
    assert.equal(await none.page.$('#baseline'), null);
    await none.close();
  });
});
