// Every chart of the page: made by a function from theme to ECharts option, and made again when the theme or the paper asks.
import {init} from './echarts.js';
import {h} from './dom.js';
import {currentTheme, onThemeChange, setPrinting} from './theme.js';

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const PAPER_WIDTH = 690; // CSS pixels between the margins of a portrait page, A4 or Letter

/** id -> {chart, draw}; also for tests of the page. */
export const charts = new Map();

const still = window.matchMedia('(prefers-reduced-motion: reduce)');
let onPaper = false;

/** What all charts share. */
function base(theme, description) {
  return {
    animation: !onPaper && !still.matches,
    animationDuration: 300,
    animationDurationUpdate: 200,
    backgroundColor: 'transparent',
    textStyle: {fontFamily: FONT, fontSize: 12, color: theme.ink},
    aria: {enabled: true, label: {description}},
    tooltip: tooltip(theme),
  };
}

export function tooltip(theme, more = {}) {
  return {
    confine: true,
    backgroundColor: theme.raised,
    borderColor: theme.line,
    borderWidth: 1,
    padding: [8, 12],
    textStyle: {color: theme.ink, fontSize: 12, fontFamily: FONT},
    extraCssText: 'border-radius:8px;box-shadow:0 6px 24px rgba(10,20,40,.18);max-width:360px;white-space:normal;',
    ...more,
  };
}

/** Lines of a tooltip as elements, so that names in the data are text whatever they hold. */
export function tip(title, rows) {
  return h(
    'div',
    {class: 'tip'},
    h('b', {}, title),
    rows.map(([name, value]) => h('div', {}, `${name}: `, h('b', {}, value))),
  );
}

export function axis(theme, more = {}) {
  const {axisLabel, nameTextStyle, ...rest} = more;
  return {
    axisLine: {lineStyle: {color: theme.line}},
    axisTick: {show: false},
    splitLine: {lineStyle: {color: theme.grid}},
    axisLabel: {color: theme.soft, fontSize: 12, hideOverlap: true, ...axisLabel},
    nameTextStyle: {color: theme.soft, fontSize: 12, ...nameTextStyle},
    ...rest,
  };
}

export function legend(theme, more = {}) {
  return {
    type: 'plain',
    left: 0,
    top: 0,
    itemWidth: 26,
    itemHeight: 12,
    itemGap: 14,
    icon: undefined,
    textStyle: {color: theme.soft, fontSize: 12},
    inactiveColor: theme.faint,
    ...more,
  };
}

/**
 * Adds a chart. `option(theme, width)` gives its option, `height(width)` or a number its height in pixels. Gives the
 * element, and functions that draw it again, in another height too.
 */
export function makeChart({id, description, height, option}) {
  const element = h('div', {class: 'chart', id: `chart-${id}`});
  const heightAt = (width) => (typeof height === 'function' ? height(width) : height);
  const entry = {element, chart: null, draw: null, resize: null};
  let lastWidth = 0;
  entry.draw = (merge = false) => {
    const width = entry.chart.getWidth();
    const made = {...base(currentTheme(), description), ...option(currentTheme(), width)};
    entry.chart.setOption(made, {notMerge: !merge});
  };
  entry.resize = (width) => {
    if (width < 40) return;
    lastWidth = width;
    element.style.height = `${heightAt(width)}px`;
    entry.chart.resize({width, height: heightAt(width), silent: true});
    entry.draw();
    if (onPaper) entry.chart.getZr().flush();
  };
  entry.start = () => {
    const width = Math.max(element.clientWidth, 280);
    lastWidth = width;
    element.style.height = `${heightAt(width)}px`;
    entry.chart = init(element, null, {renderer: 'svg', width, height: heightAt(width)});
    entry.draw();
    new ResizeObserver(() => {
      if (!onPaper && Math.abs(element.clientWidth - lastWidth) > 1) entry.resize(element.clientWidth);
    }).observe(element);
  };
  charts.set(id, entry);
  return {
    element,
    draw: (merge) => entry.chart && entry.draw(merge),
    resize: () => entry.chart && entry.resize(element.clientWidth),
  };
}

/** Once the page stands: charts need the width of their place. */
export function startCharts() {
  charts.forEach((entry) => entry.start());
  onThemeChange(() => charts.forEach((entry) => entry.draw()));
}

function toPaper() {
  onPaper = true;
  setPrinting(true);
  charts.forEach((entry) => entry.resize(PAPER_WIDTH));
}

function fromPaper() {
  onPaper = false;
  setPrinting(false);
  charts.forEach((entry) => entry.resize(entry.element.clientWidth));
}

window.addEventListener('beforeprint', toPaper);
window.addEventListener('afterprint', fromPaper);
