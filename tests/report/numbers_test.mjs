// Every chart is drawn with the numbers of the document.
import assert from 'node:assert/strict';
import {after, before, describe, it} from 'node:test';
import {dataFile, open, optionOf, readData, reportOf, startBrowser, stopBrowser} from './browser.mjs';

const comparison = readData('full.json');
const fabrics = comparison.fabrics.filter((fabric) => fabric.possible);
const close = (found, expected, what) =>
  assert.ok(Math.abs(found - expected) <= 1e-9 * Math.max(1, Math.abs(expected)), `${what}: ${found}, not ${expected}`);
const seriesOf = (option, name) => option.series.find((series) => series.name === name);

describe('numbers of the report', () => {
  let view;
  before(async () => {
    await startBrowser();
    view = await open(reportOf(dataFile('full.json')));
  });
  after(stopBrowser);

  it('has every chart, drawn', async () => {
    const drawn = await view.page.evaluate(() =>
      [...window.weftReport.charts].map(([id, {element}]) => ({
        id,
        shapes: element.querySelectorAll('svg path, svg text').length,
        width: element.clientWidth,
        height: element.clientHeight,
      })),
    );
    assert.deepEqual(drawn.map(({id}) => id).sort(), [
      'cost',
      'fct',
      'load',
      'lost-time',
      'pauses-rocev2',
      'queues',
      'small-message',
      'step-parts',
      'step-time',
      'timeline-infiniband',
      'timeline-rocev2',
      'timeline-rocev2-untuned',
      'timeline-tcp',
      'topology',
      'tuning-by-size',
      'tuning-infiniband',
      'tuning-rocev2',
      'tuning-rocev2-untuned',
      'tuning-tcp',
      'work-cost',
    ]);
    for (const chart of drawn)
      assert.ok(chart.shapes > 8 && chart.width > 300 && chart.height > 100, JSON.stringify(chart));
  });

  it('draws what a unit of work costs, and its parts add up to it', async () => {
    const option = await optionOf(view.page, 'work-cost');
    const sorted = [...fabrics].sort((a, b) => a.work_cost.usd - b.work_cost.usd);
    assert.deepEqual(
      option.yAxis[0].data,
      sorted.map((fabric) => fabric.name),
    );
    const parts = option.series.filter((series) => series.type === 'bar');
    sorted.forEach((fabric, index) => {
      const all = parts.reduce((sum, series) => sum + series.data[index], 0);
      close(all, fabric.work_cost.usd, fabric.name);
      const network = seriesOf(option, 'network').data[index];
      close(network, (fabric.work_cost.network_usd / fabric.work_cost.total_usd) * fabric.work_cost.usd, fabric.name);
    });
    const text = await view.page.textContent('#recommendation');
    assert.ok(text.includes(comparison.recommendation.text));
    assert.ok(text.includes(comparison.recommendation.turning_points[0].text));
  });

  it('draws step times with their intervals', async () => {
    const option = await optionOf(view.page, 'step-time');
    assert.equal(option.xAxis[0].name, 'step time, ms');
    assert.deepEqual(
      option.yAxis[0].data,
      fabrics.map(({name}) => name),
    );
    fabrics.forEach((fabric, index) => {
      close(seriesOf(option, 'step time').data[index].value, fabric.step_time_s * 1000, fabric.name);
      const [place, low, high] = seriesOf(option, 'interval').data[index];
      assert.equal(place, index);
      close(low, fabric.step_time_low_s * 1000, fabric.name);
      close(high, fabric.step_time_high_s * 1000, fabric.name);
    });
  });

  it('stacks lost time and parts so that they add up to the step', async () => {
    const lost = await optionOf(view.page, 'lost-time');
    const parts = await optionOf(view.page, 'step-parts');
    fabrics.forEach((fabric, index) => {
      for (const {cause, s} of fabric.lost_time) close(seriesOf(lost, cause).data[index], s * 1000, cause);
      close(seriesOf(lost, 'computing').data[index], fabric.compute_s * 1000, 'computing');
      for (const {name, exposed_s} of fabric.parts) close(seriesOf(parts, name).data[index], exposed_s * 1000, name);
      for (const option of [lost, parts]) {
        const whole = option.series.reduce((total, series) => total + series.data[index], 0);
        assert.ok(Math.abs(whole - fabric.step_time_s * 1000) < 1e-3, `${fabric.name}: ${whole}`);
      }
    });
  });

  it('draws every event of the timelines on one clock', async () => {
    const last = Math.max(...fabrics.flatMap(({timeline}) => timeline.map(({end_s}) => end_s)));
    for (const fabric of fabrics) {
      const option = await optionOf(view.page, `timeline-${fabric.name}`);
      close(option.xAxis[0].max, last * 1000, 'end of the clock');
      const {data} = seriesOf(option, fabric.name);
      assert.equal(data.length, fabric.timeline.length);
      fabric.timeline.forEach((event, index) => {
        const [lane, begin, end] = data[index].value;
        close(begin, event.begin_s * 1000, event.name);
        close(end, event.end_s * 1000, event.name);
        assert.equal(option.yAxis[0].data[lane], `rank ${event.rank}, ${event.lane}`);
      });
    }
  });

  it('draws both distributions point by point', async () => {
    for (const [id, get] of [
      ['fct', ({cdf}) => cdf.fct],
      ['small-message', ({cdf}) => cdf.small_message],
    ]) {
      const option = await optionOf(view.page, id);
      for (const fabric of fabrics) {
        assert.deepEqual(
          seriesOf(option, fabric.name).data,
          get(fabric).map(([us, share]) => [us, share * 100]),
          fabric.name,
        );
      }
    }
  });

  it('draws the fullest queues and what was held', async () => {
    const option = await optionOf(view.page, 'queues');
    for (const queue of fabrics[0].queues) {
      const [line, bars] = option.series.filter(({name}) => name === queue.port);
      queue.at_s.forEach((at, index) => {
        close(line.data[index][0], at * 1000, 'instant');
        close(line.data[index][1], queue.bytes[index] / 1024, 'KiB');
        close(bars.data[index][1], queue.held_s[index] * 1e6, 'held');
      });
    }
  });

  it('hangs every pause under its cause', async () => {
    const option = await optionOf(view.page, 'pauses-rocev2');
    const found = [];
    const walk = (node, cause) => {
      if (node.row) found.push([node.row.port, cause]);
      for (const child of node.children ?? []) walk(child, node.row?.port ?? null);
    };
    walk(option.series[0].data[0], null);
    const expected = fabrics.find(({name}) => name === 'rocev2').pauses.tree.map(({port, cause}) => [port, cause]);
    assert.deepEqual(found.sort(), expected.sort());
  });

  it('draws cost against step time, and the front of those that none beats', async () => {
    const option = await optionOf(view.page, 'cost');
    const points = seriesOf(option, 'fabrics').data;
    fabrics.forEach((fabric, index) => {
      close(points[index].value[0], fabric.cost_usd / 1000, fabric.name);
      close(points[index].value[1], fabric.step_time_s * 1000, fabric.name);
    });
    const beaten = (one) =>
      fabrics.some((other) => other !== one && other.cost_usd <= one.cost_usd && other.step_time_s <= one.step_time_s);
    const front = fabrics.filter((fabric) => !beaten(fabric)).sort((a, b) => a.cost_usd - b.cost_usd);
    assert.deepEqual(
      seriesOf(option, 'Pareto front').data,
      front.map(({cost_usd, step_time_s}) => [cost_usd / 1000, step_time_s * 1000]),
    );
    assert.ok(front.length > 1 && front.length < fabrics.length);
  });

  it('sorts the misconfigurations of each fabric, the worst first', async () => {
    const ends = new Set();
    for (const fabric of fabrics) {
      const option = await optionOf(view.page, `tuning-${fabric.name}`);
      const losses = fabric.tuning_risk.cases.filter(({loss}) => loss !== undefined).sort((a, b) => b.loss - a.loss);
      assert.deepEqual(
        option.series[0].data,
        losses.map(({loss}) => loss * 100),
      );
      assert.deepEqual(
        option.yAxis[0].data,
        losses.map(({setting, change}) => `${setting} (${change})`),
      );
      ends.add(option.xAxis[0].max);
    }
    assert.equal(ends.size, 1, 'one scale for all');
    const growth = await optionOf(view.page, 'tuning-by-size');
    assert.deepEqual(growth.xAxis[0].data, ['64', '512']);
    for (const fabric of fabrics) {
      for (const what of ['median', 'worst']) {
        assert.deepEqual(
          seriesOf(growth, `${fabric.name}, ${what}`).data,
          fabric.tuning_risk.by_size.map((row, index) => [index, row[what] * 100]),
        );
      }
    }
  });

  it('shows the same numbers in tables', async () => {
    const text = (await view.page.textContent('#overview-table')).replace(/\s+/g, ' ');
    for (const expected of [
      '402 ms',
      '95 %: 400 ms to 404 ms',
      '1.017 ×',
      '148,000 USD',
      '+31.3 %',
      'ECMP polarised',
      '61,233',
      '11.5 cores',
    ]) {
      assert.ok(text.includes(expected), expected);
    }
    const bill = await view.page.textContent('#bill');
    for (const {name, source} of fabrics.flatMap((fabric) => fabric.bill))
      assert.ok(bill.includes(name) && bill.includes(source), name);
  });

  it('saw no error, and nothing left the page', () => assert.deepEqual(view.faults, []));
});
