// The page of paths: its maps hold the loads of its document, and it has room on phones, desktops and paper.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {after, before, describe, it} from 'node:test';
import {pathToFileURL} from 'node:url';
import {open, optionOf, scratch, startBrowser, stopBrowser, weft} from './browser.mjs';
import {wrongTexts} from './texts.mjs';

const SCENARIO = `
name = "four-leaves"
[fabric]
family = "rocev2"
[topology]
kind = "leaf-spine"
hosts = 32
hosts_per_leaf = 8
spines = 8
[[traffic]]
name = "shift"
kind = "permutation"
shift = 8
size = "1 MiB"
`;

const sorted = (names) => [...names].sort((a, b) => a.localeCompare(b, 'en', {numeric: true}));

describe('the page of paths', () => {
  let report;
  let url;
  before(async () => {
    await startBrowser();
    const [file, json, page] = ['toml', 'json', 'html'].map((ending) => scratch(`paths.${ending}`));
    writeFileSync(file, SCENARIO);
    weft('paths', file, '--seeds=20', '--without-link=leaf0/port8', '-q', '--json', json, '--report', page);
    report = JSON.parse(readFileSync(json, 'utf8'));
    url = pathToFileURL(page).href;
  });
  after(stopBrowser);

  it('maps the load of every link, each where its switches are', async () => {
    const {page, faults, close} = await open(url);
    for (const [tier, id] of [
      ['leaf > spine', 'map-0-leaf-spine'],
      ['spine > leaf', 'map-0-spine-leaf'],
    ]) {
      const option = await optionOf(page, id);
      const cells = option.series.flatMap(({data}) => data);
      assert.deepEqual(option.yAxis[0].data, sorted(option.yAxis[0].data));
      assert.deepEqual(option.xAxis[0].data, sorted(option.xAxis[0].data));
      const links = report.sets[0].links.filter((link) => link.tier === tier);
      assert.equal(links.length, 31); // 32 less the one that is down
      assert.equal(cells.length, links.length);
      for (const {value, link} of cells) {
        const from = option.yAxis[0].data[value[1]];
        const to = option.xAxis[0].data[value[0]];
        const meant = links.find(({port, to: peer}) => port.startsWith(`${from}/`) && peer === to);
        assert.equal(link.load, meant.load);
      }
    }
    assert.deepEqual(faults, []);
    await close();
  });

  it('shows what other functions give, over the seeds', async () => {
    const {page, faults, close} = await open(url);
    const {series} = await optionOf(page, 'variants-0');
    assert.deepEqual(
      series[0].data,
      report.sets[0].variants.map((variant) => variant.worst_load.mean),
    );
    assert.ok((await page.textContent('#set-0')).includes(report.sets[0].tiers[0].worst_port));
    assert.deepEqual(faults, []);
    await close();
  });

  for (const width of [390, 820, 1440]) {
    for (const colorScheme of ['light', 'dark']) {
      it(`has no text on another, none cut and none outside, ${width} pixels wide, ${colorScheme}`, async () => {
        const {page, faults, close} = await open(url, {
          viewport: {width, height: 900},
          colorScheme,
          reducedMotion: 'reduce',
        });
        await page.waitForTimeout(100);
        await page.evaluate(() => document.querySelectorAll('details').forEach((one) => (one.open = true)));
        assert.deepEqual(await page.evaluate(wrongTexts), []);
        assert.deepEqual(faults, []);
        await close();
      });
    }
  }

  it('fits on paper', async () => {
    const {page, faults, close} = await open(url);
    await page.emulateMedia({media: 'print'});
    assert.ok((await page.pdf({format: 'A4'})).length > 10_000);
    assert.deepEqual(faults, []);
    await close();
  });
});
