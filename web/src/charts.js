// Every chart of the page: made by a function from theme to ECharts option. A chart is drawn when it comes near the view and
// taken away when it is far from it, so that a page with many charts stays small; and drawn again when the theme or the paper asks.
import {init} from './echarts.js';
import {h} from './dom.js';
import {tick} from './format.js';
import {currentTheme, onThemeChange, setPrinting} from './theme.js';
import {Zoom} from './zoom.js';

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const PAPER_WIDTH = 690; // CSS pixels between the margins of a portrait page, A4 or Letter
const HALF_WIDTH = 337; // of charts that stand side by side on paper

/** id -> {chart, draw}; also for tests of the page. */
export const charts = new Map();

const still = window.matchMedia('(prefers-reduced-motion: reduce)');
let onPaper = false;
let all = false; // whether charts far from the view stay, too
const NEAR = '25% 0px'; // of the view's height, above and below it

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
    axisLabel: {
      color: theme.soft,
      fontSize: 12,
      hideOverlap: true,
      ...(rest.type === 'value' ? {formatter: tick} : {}),
      ...axisLabel,
    },
    nameTextStyle: {color: theme.soft, fontSize: 12, ...nameTextStyle},
    ...rest,
  };
}

const ITEM = {width: 26, height: 14, gap: 12}; // of a legend
const pen = document.createElement('canvas').getContext('2d');

/** Pixels that a text takes in a chart. */
export function textWidth(text, size = 12, weight = 400) {
  pen.font = `${weight} ${size}px ${FONT}`;
  return pen.measureText(text).width;
}

/** A text in lines that are not longer than so many pixels: broken between words, and within those that are longer. */
export function wrapped(text, width, size = 12) {
  const lines = [''];
  const fits = (more) => textWidth(lines.at(-1) + more, size) <= width;
  for (const word of String(text).split(/(?<= )/)) {
    if (lines.at(-1) !== '' && !fits(word.trimEnd())) lines.push('');
    for (const letter of fits(word.trimEnd()) ? [word] : word) {
      if (lines.at(-1) !== '' && !fits(letter.trimEnd())) lines.push('');
      lines[lines.length - 1] += letter;
    }
  }
  return lines.map((line) => line.trimEnd());
}

export const NARROW = 520; // pixels; in less, names stand above their bars

/** The axis of bars that have names. Names stand on the left, or above the bars where there is little room. */
export function barNames(theme, width, names, more = {}) {
  const {axisLabel, ...rest} = more;
  const above = {inside: true, align: 'left', verticalAlign: 'bottom', margin: 0, padding: [0, 0, 12, 0]};
  return axis(theme, {
    type: 'category',
    inverse: true,
    data: names,
    splitLine: {show: false},
    axisLabel: {
      color: theme.ink,
      fontWeight: 600,
      fontSize: 13,
      interval: 0,
      hideOverlap: false,
      ...(width < NARROW ? above : {}),
      ...axisLabel,
    },
    z: 5,
    ...rest,
  });
}

/** Pixels on the right of bars for the texts behind them. */
export const roomFor = (texts) => 20 + Math.max(0, ...texts.map((text) => textWidth(text, 13, 700)));

/** Pixels that the legend of these names takes in a chart, with what keeps it off the chart. */
export function legendHeight(names, width, itemWidth = ITEM.width) {
  const room = width - 12;
  let rows = 1;
  let used = 0;
  for (const name of names) {
    const needs = itemWidth + 6 + Math.min(textWidth(name), room - itemWidth - 6);
    if (used > 0 && used + needs > room) {
      rows += 1;
      used = 0;
    }
    used += needs + ITEM.gap;
  }
  return 10 + rows * (ITEM.height + ITEM.gap);
}

export function legend(theme, width, more = {}) {
  const itemWidth = more.itemWidth ?? ITEM.width;
  return {
    type: 'plain',
    left: 0,
    top: 0,
    itemWidth,
    itemHeight: 12,
    itemGap: ITEM.gap,
    icon: undefined,
    textStyle: {color: theme.soft, fontSize: 12, lineHeight: ITEM.height},
    // What is longer than a line is cut, with its whole text where the pointer is.
    formatter: (name) => shortened(name, width - itemWidth - 24),
    tooltip: {show: true},
    inactiveColor: theme.faint,
    ...more,
  };
}

/** A text that is not longer than so many pixels. */
export function shortened(text, width, size = 12) {
  if (textWidth(text, size) <= width) return text;
  let kept = text.length;
  while (kept > 1 && textWidth(`${text.slice(0, kept)}…`, size) > width) kept -= 1;
  return `${text.slice(0, kept)}…`;
}

/**
 * Adds a chart. `option(theme, width, onPaper)` gives its option, `height(width, onPaper)` or a
 * number its height in pixels; `zoom` names the
 * axes along which a reader may zoom ('x' or 'xy'), and charts of one `clock` zoom together; `half`: two
 * stand side by side on paper. Gives the element, and functions
 * that draw it again, in another height too.
 */
export function makeChart({id, description, height, option, zoom, clock, half = false}) {
  const element = h('div', {class: 'chart', id: `chart-${id}`, role: 'img', 'aria-label': description});
  const heightAt = (width) => (typeof height === 'function' ? height(width, onPaper) : height);
  const entry = {element, chart: null, zoom: zoom ? new Zoom(element, zoom, clock) : null, selected: null};
  entry.paperWidth = half ? HALF_WIDTH : PAPER_WIDTH;
  let lastWidth = 0;
  let watch = null;
  entry.draw = (merge = false) => {
    const width = entry.chart.getWidth();
    const made = {...base(currentTheme(), description), ...option(currentTheme(), width, onPaper)};
    if (entry.zoom) made.dataZoom = entry.zoom.parts();
    if (entry.selected && made.legend) made.legend.selected = entry.selected;
    entry.chart.setOption(made, {notMerge: !merge});
  };
  entry.reserve = (width) => {
    lastWidth = width;
    element.style.height = `${heightAt(width)}px`;
  };
  entry.resize = (width) => {
    if (width < 40) return;
    entry.reserve(width);
    if (!entry.chart) return;
    entry.chart.resize({width, height: heightAt(width), silent: true});
    entry.draw();
    if (onPaper) entry.chart.getZr().flush();
  };
  entry.start = (wanted) => {
    if (entry.chart) return;
    const width = wanted ?? Math.max(element.clientWidth, 240);
    entry.reserve(width);
    entry.chart = init(element, null, {renderer: 'svg', width, height: heightAt(width)});
    entry.chart.on('legendselectchanged', ({selected}) => {
      entry.selected = selected;
    });
    entry.zoom?.attach(entry.chart);
    entry.draw();
    if (onPaper) entry.chart.getZr().flush();
  };
  entry.stop = () => {
    if (!entry.chart) return;
    entry.zoom?.detach();
    entry.chart.dispose();
    entry.chart = null;
  };
  entry.watch = () => {
    entry.reserve(Math.max(element.clientWidth, 240));
    watch = new ResizeObserver(() => {
      if (!onPaper && Math.abs(element.clientWidth - lastWidth) > 1) entry.resize(element.clientWidth);
    });
    watch.observe(element);
    nearView.observe(element);
  };
  entry.forget = () => {
    watch?.disconnect();
    nearView.unobserve(element);
    entry.stop();
    charts.delete(id);
  };
  charts.set(id, entry);
  return {
    element: entry.zoom ? h('div', {class: 'figure'}, element, entry.zoom.bar) : element,
    draw: (merge) => entry.chart && entry.draw(merge),
    resize: () => entry.resize(element.clientWidth),
  };
}

const nearView = new IntersectionObserver(
  (seen) => {
    if (onPaper) return;
    for (const {target, isIntersecting} of seen) {
      const entry = [...charts.values()].find(({element}) => element === target);
      if (entry && isIntersecting) entry.start();
      else if (entry && !all) entry.stop();
    }
  },
  {rootMargin: NEAR},
);

/** Once the page stands: charts need the width of their place. */
export function watchCharts() {
  charts.forEach((entry) => entry.watch());
}

export function forgetCharts() {
  [...charts.values()].forEach((entry) => entry.forget());
}

/** Every chart, wherever it is; from then on they stay. */
export function drawAll() {
  all = true;
  charts.forEach((entry) => entry.start());
}

onThemeChange(() => charts.forEach((entry) => entry.chart && entry.draw()));

let drawnForPaper = [];

/** Draws every chart for the width of a page. */
export function toPaper() {
  onPaper = true;
  setPrinting(true);
  drawnForPaper = [...charts.values()].filter((entry) => !entry.chart);
  charts.forEach((entry) => (entry.chart ? entry.resize(entry.paperWidth) : entry.start(entry.paperWidth)));
}

export function fromPaper() {
  onPaper = false;
  setPrinting(false);
  if (!all) drawnForPaper.forEach((entry) => entry.stop());
  drawnForPaper = [];
  charts.forEach((entry) => entry.resize(entry.element.clientWidth));
}
