// What a reader does with the report: moves, chooses, prints, listens, and reads it without some or all of its figures.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {decisionsOf} from './documents.mjs';
import {
  dataFile,
  open,
  optionOf,
  readData,
  reportOf,
  reportOfDocument,
  scratch,
  startBrowser,
  stopBrowser,
  weft,
} from './browser.mjs';

const comparison = readData('full.json');
const TITLES = [
  'Recommendation',
  'What the figures say',
  'Step time',
  'Side by side',
  'Where the time goes',
  'Timelines of a step',
  'Latency',
  'Load of the links',
  'Queues and pauses over time',
  'How pauses spread',
  'Cost against step time',
  'Tuning risk',
  'Settings to get right',
  'Bills of materials',
  'To get the same numbers again',
];

const named = (name) => comparison.fabrics.find((fabric) => fabric.name === name);
const loads = async (page) =>
  (await optionOf(page, 'topology')).series[0].edges
    .map(({source, target, value}) => [`${source} ${target}`, value])
    .sort();
const loadsAt = (fabric, instant) =>
  fabric.topology.links.map(({from, to, utilisation}) => [`${from} ${to}`, utilisation[instant]]).sort();

describe('the page of the report', () => {
  let url;
  before(async () => {
    await startBrowser();
    url = reportOf(dataFile('full.json'));
  });
  after(stopBrowser);

  it('draws the load of links over time, and below on the same clock what load balancing decided', async () => {
    const document = readData('full.json');
    const fabric = document.fabrics.find(({name}) => name === 'rocev2');
    fabric.decisions = decisionsOf(fabric).slice(0, 2);
    const {page, faults, close} = await open(reportOfDocument(document));
    const without = await optionOf(page, 'load');
    assert.equal(without.grid.length, 1, 'the first fabric has decided nothing');
    await page.selectOption('#select-fabric-of-the-map', 'rocev2');
    const {grid, xAxis, series} = await optionOf(page, 'load');
    assert.equal(grid.length, 2);
    for (const edge of ['min', 'max']) assert.equal(xAxis[0][edge], xAxis[1][edge], edge);
    const lines = series.filter(({type}) => type === 'line');
    const switches = new Set(fabric.topology.nodes.filter(({kind}) => kind === 'switch').map(({name}) => name));
    const between = fabric.topology.links.filter(({from, to}) => switches.has(from) && switches.has(to));
    const mean = (instant) => between.reduce((sum, link) => sum + link.utilisation[instant], 0) / between.length;
    lines[0].data.forEach(([, load], instant) => assert.ok(Math.abs(load - 100 * mean(instant)) < 1e-9));
    assert.ok(lines.slice(1).every(({name}) => between.some(({from, to}) => name.startsWith(`${from} to ${to}`))));
    const bars = series.filter(({type}) => type === 'bar');
    assert.deepEqual(
      bars.map(({data}) => data.map(([, counted]) => counted)),
      fabric.decisions.map(({count}) => count),
    );
    assert.deepEqual(
      bars[0].data.map(([at]) => at),
      lines[0].data.map(([at]) => at),
    );
    assert.match(await page.textContent('#load-caption'), /flowlets that stayed, [\d,. ]+ in all \(a flow began/);
    assert.deepEqual(faults, []);
    await close();
  });

  it('moves the map of links with its slider, by keyboard', async () => {
    const {page, faults, close} = await open(url);
    const fabric = named('infiniband');
    const totals = fabric.topology.instants_s.map((_, instant) =>
      fabric.topology.links.reduce((sum, link) => sum + link.utilisation[instant], 0),
    );
    assert.deepEqual(
      await loads(page),
      loadsAt(fabric, totals.indexOf(Math.max(...totals))),
      'begins at the busiest instant',
    );
    const picture = () => page.innerHTML('#chart-topology svg');
    const first = await picture();
    await page.focus('#topology-time');
    await page.keyboard.press('Home');
    assert.deepEqual(await loads(page), loadsAt(fabric, 0));
    assert.notEqual(await picture(), first);
    await page.keyboard.press('ArrowRight');
    assert.deepEqual(await loads(page), loadsAt(fabric, 1));
    assert.equal(await page.textContent('#topology-instant'), '800 µs');
    assert.equal(await page.getAttribute('#topology-time', 'aria-valuetext'), '800 µs');
    await page.selectOption('#select-fabric-of-the-map', 'tcp');
    await page.focus('#topology-time');
    await page.keyboard.press('End');
    assert.deepEqual(await loads(page), loadsAt(named('tcp'), named('tcp').topology.instants_s.length - 1));
    assert.match(await page.textContent('#topology-caption'), /^tcp at 4\.8 ms, instant 12 of 12/);
    assert.deepEqual(faults, []);
    await close();
  });

  it('shows the queues of the fabric that is chosen', async () => {
    const {page, close} = await open(url);
    await page.selectOption('#select-fabric-of-the-queues', 'rocev2');
    const {series} = await optionOf(page, 'queues');
    const line = series.find(({name}) => name === 'leaf0/port2');
    assert.deepEqual(
      line.data.map(([, value]) => value * 1024),
      named('rocev2').queues[0].bytes,
    );
    await close();
  });

  it('is dark if the system is, and as the reader chooses', async () => {
    const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const ink = async (page) => (await optionOf(page, 'step-time')).textStyle.color;
    const {page, faults, close} = await open(url, {colorScheme: 'dark'});
    const dark = [await ground(page), await ink(page)];
    await page.click('#theme');
    const light = [await ground(page), await ink(page)];
    assert.notEqual(dark[0], light[0]);
    assert.notEqual(dark[1], light[1]);
    await page.focus('#theme');
    await page.keyboard.press('Enter');
    assert.deepEqual([await ground(page), await ink(page)], dark);
    assert.deepEqual(faults, []);
    await close();
    const bright = await open(url, {colorScheme: 'light'});
    assert.deepEqual([await ground(bright.page), await ink(bright.page)], light);
    await bright.close();
  });

  it('prints everything, opened and light, and is then as it was', async () => {
    const {page, faults, close} = await open(url, {colorScheme: 'dark'});
    const state = () =>
      page.evaluate(() => [
        document.querySelectorAll('details[open]').length,
        document.documentElement.dataset.theme,
        window.weftReport.charts.get('cost').chart.getWidth(),
      ]);
    await page.evaluate(() => {
      window.addEventListener('beforeprint', () => {
        window.onPaper = [
          document.querySelectorAll('details:not([open])').length,
          document.documentElement.dataset.theme,
          window.weftReport.charts.get('cost').chart.getWidth(),
        ];
      });
    });
    const screen = await state();
    const file = scratch('report.pdf');
    writeFileSync(file, await page.pdf({format: 'A4', printBackground: true}));
    assert.deepEqual(await page.evaluate(() => window.onPaper), [0, 'light', 690]);
    assert.deepEqual(await state(), screen);
    const text = execFileSync('pdftotext', ['-layout', file, '-'], {encoding: 'utf8', timeout: 30_000}).replace(
      /[ \t]+/g,
      ' ',
    );
    for (const title of TITLES) assert.ok(text.includes(title), title);
    for (const opened of [
      'switch.buffer 64 MiB',
      'Distribution of flow completion time',
      'Apache License',
      'weft compare sample.toml',
      'list price of a reseller',
    ]) {
      assert.ok(text.includes(opened), opened);
    }
    for (const control of ['▶ Play', 'Fabric of the map', '☀ Light', 'Skip to'])
      assert.ok(!text.includes(control), control);
    assert.deepEqual(faults, []);
    await close();
  });

  it('can be read by those who do not see the charts', async () => {
    const {page, close} = await open(url);
    const faults = await page.evaluate(() => {
      const found = [];
      const say = (elements, what) =>
        elements.forEach((element) => found.push(`${what}: ${element.id || element.outerHTML.slice(0, 80)}`));
      const all = (selector) => [...document.querySelectorAll(selector)];
      say(
        all('.chart').filter((chart) => !chart.getAttribute('aria-label') || chart.getAttribute('role') !== 'img'),
        'chart without a name',
      );
      say(
        all('.chart').filter((chart) => !chart.closest('section').querySelector('details.numbers table')),
        'chart without its numbers',
      );
      say(
        all('table').filter((table) => !table.caption?.textContent.trim()),
        'table without a caption',
      );
      say(
        all('table').filter((table) => table.querySelectorAll('thead th[scope="col"]').length === 0),
        'table without heads of columns',
      );
      say(all('th:not([scope])'), 'head without scope');
      say(
        all('tbody tr').filter(
          (row) => !row.querySelector('th[scope="row"], th[scope="rowgroup"]') && row.cells.length > 1,
        ),
        'row without a head',
      );
      say(
        all('select, input').filter((control) => control.labels.length === 0),
        'control without a label',
      );
      say(
        all('button').filter((button) => !button.textContent.trim()),
        'button without a name',
      );
      say(
        all('main > section').filter((section) => !document.getElementById(section.getAttribute('aria-labelledby'))),
        'section without a name',
      );
      say(
        all('.scroll, pre').filter((region) => region.tabIndex !== 0),
        'scrolls, but not by keyboard',
      );
      if (all('h1').length !== 1) found.push('not one h1');
      const ids = all('[id]')
        .map((element) => element.id)
        .filter((id) => !id.startsWith('zr'));
      found.push(...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `id twice: ${id}`));
      return found;
    });
    assert.deepEqual(faults, []);
    await close();
  });

  it('has patterns beside colours', async () => {
    const {page, close} = await open(url);
    const stacked = (await optionOf(page, 'lost-time')).series.map(({itemStyle}) => JSON.stringify(itemStyle.decal));
    assert.equal(new Set(stacked).size, stacked.length, 'each cause has its own pattern');
    const curves = (await optionOf(page, 'fct')).series;
    assert.equal(new Set(curves.map(({symbol}) => symbol)).size, curves.length);
    assert.equal(new Set(curves.map(({lineStyle}) => JSON.stringify(lineStyle.type))).size, curves.length);
    await close();
  });

  it('fits a narrow screen', async () => {
    const {page, faults, close} = await open(url, {viewport: {width: 390, height: 800}});
    assert.deepEqual(await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]), [390, 390]);
    assert.deepEqual(faults, []);
    await close();
  });

  it('says which fabrics are not possible, and takes no word of the data for its own', async () => {
    const hostile = structuredClone(comparison);
    const evil = '<img src=x onerror=alert(1)></script><script>alert(2)</script>';
    hostile.scenario.name = evil;
    hostile.verdict[0].text = evil;
    hostile.fabrics[0].name = evil;
    hostile.fabrics[0].timeline[0].name = evil;
    hostile.fabrics[1].tuning_risk.cases[0].setting = evil;
    const {page, faults, close} = await open(reportOfDocument(hostile));
    assert.equal(await page.textContent('h1'), evil);
    assert.ok((await page.textContent('#not-possible')).includes(named('rocev1').reason));
    for (const id of ['step-time', 'timeline-rocev2', 'cost']) await page.hover(`#chart-${id}`);
    assert.deepEqual(faults, []);
    await close();
  });

  it('has marks at their values, one in the other with a note where they are equal, and says when no port was held', async () => {
    const alike = structuredClone(comparison);
    for (const key of ['cost_usd', 'step_time_s']) alike.fabrics[2][key] = alike.fabrics[1][key];
    for (const fabric of alike.fabrics) delete fabric.pauses;
    alike.fabrics[1].pause_s = 0;
    const {page, faults, close} = await open(reportOfDocument(alike));
    const {series} = await optionOf(page, 'cost');
    const marks = series.find(({name}) => name === 'fabrics').data;
    assert.deepEqual(marks[1].value, marks[2].value);
    assert.ok(marks.every(({symbolOffset}) => symbolOffset === undefined));
    assert.ok(marks[1].symbolSize > marks[2].symbolSize, 'the second is seen inside the first');
    assert.deepEqual(
      marks.map(({label}) => label.show),
      [true, true, false, true],
    );
    const names = [1, 2].map((index) => alike.fabrics[index].name).join(', ');
    assert.ok((await page.textContent('#cost-together')).endsWith(`: ${names}.`));
    assert.match(await page.textContent('#pauses'), /No port was blocked by pauses or missing credits: rocev2\./);
    assert.deepEqual(faults, []);
    await close();
  });

  it('says "not measured" where there is nothing to show', async () => {
    const {page, faults, close} = await open(reportOf(dataFile('empty.json')));
    assert.equal(await page.evaluate(() => window.weftReport.charts.size), 0);
    const sections = await page.$$eval('main > section', (found) =>
      found.map((section) => [section.querySelector('h2').textContent, section.textContent]),
    );
    assert.deepEqual(
      sections.map(([title]) => title),
      TITLES,
    );
    for (const [title, text] of sections) assert.match(text, /not measured/, title);
    assert.ok((await page.textContent('#not-possible')).includes('not possible: no TCP here'));
    assert.deepEqual(faults, []);
    await close();
  });

  it('folds what a first answer leaves out, and says so', async () => {
    const quick = structuredClone(readData('empty.json'));
    const titles = async () => {
      const {page, faults, close} = await open(reportOfDocument(quick));
      const found = await page.$$eval('main > section', (all) =>
        all.map((one) => [one.querySelector('h2').textContent, one.textContent]),
      );
      assert.deepEqual(faults, []);
      await close();
      return found;
    };
    assert.ok(!(await titles()).some(([title]) => title === 'Left out by --quick'));
    quick.fabrics.find((fabric) => fabric.possible).slice_caution = 'quick: shorter slices, one seed';
    const folded = await titles();
    const [, text] = folded.find(([title]) => title === 'Left out by --quick');
    assert.match(text, /without --quick measures the rest/);
    assert.match(text, /Timelines of a step; Latency/);
    assert.ok(!folded.some(([title]) => title === 'Latency'));
  });

  it('stands whatever figures are missing', async () => {
    const keys = Object.keys(comparison.fabrics[1]).filter((name) => !['name', 'possible'].includes(name));
    const groups = [0, 1, 2, 3].map((group) => keys.filter((_, index) => index % 4 === group));
    for (const group of groups) {
      const less = structuredClone(comparison);
      for (const fabric of less.fabrics) for (const key of group) delete fabric[key];
      const {faults, close} = await open(reportOfDocument(less));
      assert.deepEqual(faults, [], `without ${group}`);
      await close();
    }
  });

  it('shows a run that weft has made', async () => {
    const results = scratch('run.weft');
    weft(
      'run',
      join(process.env.WEFT_TEST_DATA_DIR, '..', '..', 'examples', 'incast.toml'),
      '--case',
      'rocev2',
      '--out',
      results,
    );
    const {page, faults, close} = await open(reportOf(results));
    assert.deepEqual(await page.evaluate(() => [...window.weftReport.charts.keys()]), [
      'fct',
      'topology',
      'load',
      'queues',
    ]);
    assert.match(await page.textContent('#overview-table'), /End of the run\s*finished/);
    assert.deepEqual(faults, []);
    await close();
  });
});
