// The report on paper: two pages that say what to do, in money, how sure it is and what may go wrong; then an appendix; twelve
// pages in all, whatever the comparison holds.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {after, before, describe, it} from 'node:test';
import {
  dataFile,
  open,
  readData,
  reportOf,
  reportOfDocument,
  resultsFile,
  scratch,
  startBrowser,
  stopBrowser,
} from './browser.mjs';
import {crowded, earlier} from './documents.mjs';

const MOST_PAGES = 12;

/** The texts of the pages, with single spaces. */
async function printed(url, options = {}, prepare = async () => {}) {
  const {page, faults, close} = await open(url, {lazy: true});
  await prepare(page);
  const file = scratch(`paper-${Math.random().toString(36).slice(2)}.pdf`);
  writeFileSync(file, await page.pdf({format: 'A4', printBackground: true, ...options}));
  assert.deepEqual(faults, []);
  await close();
  const text = execFileSync('pdftotext', ['-layout', file, '-'], {encoding: 'utf8', timeout: 30_000});
  return text
    .split('\f')
    .slice(0, -1)
    .map((one) => one.replace(/\s+/g, ' '));
}

const plain = (text) => text.replace(/\s+/g, ' ');

describe('the report on paper', () => {
  before(startBrowser);
  after(stopBrowser);

  it('says on its first two pages what to do, how sure it is, what may go wrong, of what and when', async () => {
    const {recommendation, version, scenario, reproduce} = readData('full.json');
    const pages = await printed(reportOf(dataFile('full.json')));
    const [first, second, third] = pages;
    for (const expected of [
      scenario.name,
      scenario.job,
      version,
      plain(recommendation.text),
      'USD for a million tokens',
      '0.0168 USD',
    ])
      assert.ok(first.includes(expected), `${expected}: ${first}`);
    assert.match(first, new RegExp(`printed ${new Date().getFullYear()}-\\d\\d-\\d\\d`));
    for (const expected of [
      'Three risks',
      '1. ',
      '2. ',
      '3. ',
      'How sure it is',
      plain(recommendation.sure).slice(0, 60),
      scenario.file,
      reproduce,
    ])
      assert.ok(second.includes(expected), `${expected}: ${second}`);
    assert.ok(!second.includes(' 4. '), 'three risks');
    assert.match(third, /Appendix/);
    assert.ok(pages.length <= MOST_PAGES, `${pages.length} pages`);
  });

  it('has twelve pages at most, and says what they leave out', async () => {
    const url = reportOfDocument(crowded());
    for (const format of ['A4', 'Letter']) {
      const pages = await printed(url, {format});
      assert.ok(pages.length <= MOST_PAGES, `${pages.length} pages of ${format}`);
      assert.ok(pages.length > 6, `${pages.length} pages of ${format}`);
      assert.match(pages[2], /Appendix/);
      assert.match(pages.join(' '), /Left out of these pages, and in the report's file: .*the resolved scenarios/);
    }
  });

  it('says what was not measured', async () => {
    const pages = await printed(reportOf(dataFile('empty.json')));
    assert.match(pages[0], /A recommendation: not measured/);
    assert.match(pages[0], /Cost and step time: not measured/);
    assert.match(pages[1], /was not measured/);
    assert.match(pages[2], /Appendix/);
  });

  it('names hidden fabrics, and the baseline', async () => {
    const pages = await printed(reportOf(dataFile('full.json'), resultsFile(earlier())), {}, (page) =>
      page.click('#fabric-choice label:has-text("tcp")'),
    );
    assert.match(pages[0], /Hidden: tcp\./);
    assert.match(pages[0], /−20 % to the baseline/);
    assert.match(pages[1], /Baseline /);
    assert.ok(pages.length <= MOST_PAGES, `${pages.length} pages`);
  });
});
