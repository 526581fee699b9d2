// The page of what failures cost: its charts hold the figures of its document, and it has room on phones and paper.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {after, before, describe, it} from 'node:test';
import {pathToFileURL} from 'node:url';
import {open, optionOf, scratch, startBrowser, stopBrowser, weft} from './browser.mjs';

// A ring over two leaves: a failed cable between switches stalls it, one of a host ends it.
const SCENARIO = `
name = "two-leaves"
[fabric]
family = "rocev2"
[topology]
kind = "leaf-spine"
hosts = 4
hosts_per_leaf = 2
spines = 2
[[job]]
name = "ring"
gpus = 4
[[traffic]]
kind = "collective"
collective = "all-reduce"
algorithm = "ring"
size = "1 MiB"
job = "ring"
`;

describe('the page of failures', () => {
  let report;
  let url;
  before(async () => {
    await startBrowser();
    const [file, json, page] = ['toml', 'json', 'html'].map((ending) => scratch(`failures.${ending}`));
    writeFileSync(file, SCENARIO);
    const words = ['--ring-only', '--fabrics=infiniband,rocev2', '--months=20', '-q'];
    weft('failures', file, ...words, '--json', json, '--report', page);
    report = JSON.parse(readFileSync(json, 'utf8'));
    url = pathToFileURL(page).href;
  });
  after(stopBrowser);

  it('shows what the time of a month goes to, and goodput against the rates', async () => {
    const {page, faults, close} = await open(url);
    const networks = report.networks.filter((network) => network.month);
    assert.ok(networks.length >= 2);
    const bars = (await optionOf(page, 'goodput')).series.filter((series) => series.type === 'bar');
    networks.forEach(({month}, index) => {
      const drawn = bars.reduce((sum, series) => sum + series.data[index], 0);
      assert.ok(Math.abs(drawn - 100 * (1 - month.time.kept)) < 1e-6);
    });
    const lines = (await optionOf(page, 'goodput-by-rate')).series;
    networks.forEach(({name, month}, index) => {
      assert.equal(lines[index].name, name);
      assert.deepEqual(
        lines[index].data.map(([factor]) => factor),
        month.by_rate.map(({factor}) => factor),
      );
    });
    assert.deepEqual(faults, []);
    await close();
  });

  it('ends the line of a lost job at zero, when it is lost', async () => {
    const {page, faults, close} = await open(url);
    const lost = report.networks
      .filter((network) => network.possible)
      .map((network) => ({name: network.name, outcome: network.failures.find(({kind}) => kind === 'host-link')}))
      .filter(({outcome}) => outcome?.job_lost && outcome.lost_after_s > 0);
    assert.ok(lost.length > 0);
    const lines = (await optionOf(page, 'recovery-host-link')).series;
    for (const {name, outcome} of lost) {
      const line = lines.find((series) => series.name === name);
      assert.deepEqual(line.data.at(-1).value, [outcome.lost_after_s, 0]);
    }
    const [time] = (await optionOf(page, 'recovery-host-link')).xAxis;
    const labels = time.axisLabel.customValues;
    assert.ok(labels.length >= 2 && labels.length <= 7, `times on the axis: ${labels}`);
    assert.ok(labels.every((value) => value >= time.min && value <= time.max));
    assert.deepEqual(faults, []);
    await close();
  });

  it('fits on a phone and on paper', async () => {
    const {page, faults, close} = await open(url, {viewport: {width: 360, height: 780}});
    const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(over <= 0, `${over} pixels beyond the view`);
    await page.emulateMedia({media: 'print'});
    assert.ok((await page.pdf({format: 'A4'})).length > 10_000);
    assert.deepEqual(faults, []);
    await close();
  });
});
