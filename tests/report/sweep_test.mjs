// The page of a sweep: its charts hold the figures of its document, and it has room on phones and paper.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {after, before, describe, it} from 'node:test';
import {pathToFileURL} from 'node:url';
import {open, optionOf, scratch, startBrowser, stopBrowser, weft} from './browser.mjs';

const SCENARIO = `
[fabric]
family = "rocev2"
[topology]
kind = "single-switch"
hosts = 4
[congestion_control]
algorithm = "static-window"
window = "16 KiB"
[[traffic]]
kind = "incast"
destinations = ["host0"]
size = "256 KiB"
`;

/** A sweep of the scenario: its document and the URL of its page. */
function swept(name, ...words) {
  const [file, json, page] = ['toml', 'json', 'html'].map((ending) => scratch(`${name}.${ending}`));
  writeFileSync(file, SCENARIO);
  weft('sweep', file, ...words, '--seeds', '2', '--no-results', '-q', '--json', json, '--report', page);
  return {sweep: JSON.parse(readFileSync(json, 'utf8')), url: pathToFileURL(page).href};
}

describe('the page of a sweep', () => {
  let grid;
  let sample;
  before(async () => {
    await startBrowser();
    grid = swept(
      'grid',
      '--vary=congestion_control.window=2KiB,8KiB,64KiB',
      '--vary=transport.ack_interval=1,16',
      '--measure=fct-p99,goodput',
    );
    sample = swept('sample', '--vary=congestion_control.window=2KiB..64KiB:log', '--sample=6');
  });
  after(stopBrowser);

  it('shows every effect with its interval, and the means of levels', async () => {
    const {page, faults, close} = await open(grid.url);
    for (const figure of grid.sweep.figures) {
      const rows = [...figure.effects.toSorted((a, b) => b.effect - a.effect), ...figure.interactions];
      const [bars, whiskers] = (await optionOf(page, `effects-${figure.figure}`)).series;
      rows.forEach((row, index) => {
        assert.ok(Math.abs(bars.data[index].value - (100 * row.effect) / figure.mean) < 1e-9);
        assert.ok(Math.abs(whiskers.data[index][2] - (100 * row.high) / figure.mean) < 1e-9);
      });
      const [dots, means] = (await optionOf(page, `levels-${figure.figure}-0`)).series;
      assert.equal(dots.data.length, 6);
      const first = grid.sweep.points.filter((point) => point.values[0] === '2KiB');
      const mean = first.reduce((sum, point) => sum + point[figure.figure].mean, 0) / first.length;
      assert.ok(Math.abs(means.data[0][1] / mean - 1) < 1e-9);
    }
    assert.deepEqual(faults, []);
    await close();
  });

  it('names the best point and the command that runs it', async () => {
    const {page, faults, close} = await open(grid.url);
    const [figure] = grid.sweep.figures;
    const text = await page.textContent('#answer');
    const best = grid.sweep.points.find((point) => point.point === figure.best[0]);
    assert.ok(text.includes(best.point));
    assert.ok(text.includes(best.command));
    assert.ok((await page.textContent('#reproduce')).includes(grid.sweep.command));
    assert.deepEqual(faults, []);
    await close();
  });

  it('has the points of a sample between the ends of its range', async () => {
    const {page, faults, close} = await open(sample.url);
    const [dots, means] = (await optionOf(page, `levels-${sample.sweep.figures[0].figure}-0`)).series;
    assert.equal(dots.data.length, 6);
    assert.ok(dots.data.every(([at]) => at >= -1 && at <= 1));
    assert.equal(means.data.length, 0);
    assert.deepEqual(faults, []);
    await close();
  });

  it('fits on a phone and on paper', async () => {
    for (const {url} of [grid, sample]) {
      const {page, faults, close} = await open(url, {viewport: {width: 360, height: 780}});
      const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(over <= 0, `${over} pixels beyond the view`);
      await page.emulateMedia({media: 'print'});
      assert.ok((await page.pdf({format: 'A4'})).length > 10_000);
      assert.deepEqual(faults, []);
      await close();
    }
  });
});
