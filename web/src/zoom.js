// Zoom of a chart: a drag with a mouse or pen chooses a part of it, two fingers or Ctrl and the wheel widen and narrow it, a
// double click shows the whole again. Charts of one clock zoom together. What is chosen outlives the drawing of the chart.
import {h} from './dom.js';

const LEAST = 6; // pixels; less is a click
const clocks = new Map(); // name -> zooms that go together

export class Zoom {
  constructor(element, axes, clock) {
    this.element = element;
    this.axes = [...axes];
    this.ranges = {}; // axis -> [from, to], as values of the axis
    this.chart = null;
    this.frame = h('div', {class: 'zoom-frame', hidden: true});
    this.whole = h(
      'button',
      {type: 'button', class: 'control', hidden: true, onclick: () => this.reset()},
      'Show the whole',
    );
    this.bar = h(
      'p',
      {class: 'zoom-bar'},
      // Once for all charts of a clock.
      !clocks.has(clock) && h('span', {}, 'Drag across the chart to zoom in; on a touch screen, spread two fingers.'),
      this.whole,
    );
    if (clock) clocks.set(clock, [...(clocks.get(clock) ?? []), this]);
    this.clock = clock;
    element.addEventListener('pointerdown', (event) => this.begin(event));
    element.addEventListener('dblclick', () => this.reset());
  }

  /** The components that ECharts asks for. */
  parts() {
    return this.axes.map((axis) => ({
      id: `zoom-${axis}`,
      type: 'inside',
      [`${axis}AxisIndex`]: 'all',
      filterMode: 'none',
      zoomOnMouseWheel: 'ctrl',
      moveOnMouseMove: false,
      moveOnMouseWheel: false,
      preventDefaultMouseMove: false,
      ...(this.ranges[axis]
        ? {startValue: this.ranges[axis][0], endValue: this.ranges[axis][1]}
        : {start: 0, end: 100}),
    }));
  }

  attach(chart) {
    this.chart = chart;
    this.element.append(this.frame);
    chart.on('datazoom', () => this.take());
  }

  detach() {
    this.chart = null;
    this.frame.remove();
  }

  /** What the wheel or fingers did. */
  take() {
    for (const axis of this.axes) {
      const part = this.chart.getOption().dataZoom.find(({id}) => id === `zoom-${axis}`);
      const whole = !part || (part.start <= 0 && part.end >= 100);
      this.ranges[axis] = whole ? null : [part.startValue, part.endValue];
    }
    this.tell();
  }

  /** Charts of the same clock follow. */
  tell() {
    const zoomed = this.axes.some((axis) => this.ranges[axis]);
    this.whole.hidden = !zoomed;
    for (const other of clocks.get(this.clock) ?? []) {
      if (other === this || JSON.stringify(other.ranges) === JSON.stringify(this.ranges)) continue;
      other.ranges = {...this.ranges};
      other.whole.hidden = !zoomed;
      other.apply();
    }
  }

  apply() {
    this.chart?.setOption({dataZoom: this.parts()});
  }

  to(ranges) {
    this.ranges = ranges;
    this.apply();
    this.tell();
  }

  reset() {
    this.to({});
  }

  /** The grids of the chart, as one box. */
  plot() {
    const boxes = this.chart
      .getModel()
      .queryComponents({mainType: 'grid'})
      .map((grid) => grid.coordinateSystem.getRect());
    const left = Math.min(...boxes.map((box) => box.x));
    const top = Math.min(...boxes.map((box) => box.y));
    return {
      left,
      top,
      right: Math.max(...boxes.map((box) => box.x + box.width)),
      bottom: Math.max(...boxes.map((box) => box.y + box.height)),
    };
  }

  begin(event) {
    if (!this.chart || event.pointerType === 'touch' || event.button !== 0) return;
    const corner = this.element.getBoundingClientRect();
    const plot = this.plot();
    const at = ({clientX, clientY}) => ({
      x: Math.max(plot.left, Math.min(plot.right, clientX - corner.left)),
      y: Math.max(plot.top, Math.min(plot.bottom, clientY - corner.top)),
    });
    const from = at(event);
    if (from.x !== event.clientX - corner.left || from.y !== event.clientY - corner.top) return; // outside the plot
    event.preventDefault(); // selects no text
    let to = from;
    const stop = new AbortController();
    const listen = (name, listener) => window.addEventListener(name, listener, {signal: stop.signal});
    const end = () => {
      stop.abort();
      this.frame.hidden = true;
    };
    listen('pointermove', (moved) => {
      to = at(moved);
      this.show(from, to, plot);
    });
    listen('pointerup', () => {
      end();
      this.choose(from, to);
    });
    listen('pointercancel', end);
    listen('keydown', ({key}) => key === 'Escape' && end());
  }

  show(from, to, plot) {
    const across = this.axes.includes('y') ? [Math.min(from.y, to.y), Math.max(from.y, to.y)] : [plot.top, plot.bottom];
    Object.assign(this.frame.style, {
      left: `${Math.min(from.x, to.x)}px`,
      width: `${Math.abs(to.x - from.x)}px`,
      top: `${across[0]}px`,
      height: `${across[1] - across[0]}px`,
    });
    this.frame.hidden = false;
  }

  choose(from, to) {
    if (!this.chart || this.axes.some((axis) => Math.abs(to[axis] - from[axis]) < LEAST)) return;
    const ranges = {};
    for (const axis of this.axes) {
      const value = (pixel) => this.chart.convertFromPixel({[`${axis}AxisIndex`]: 0}, pixel);
      ranges[axis] = [value(from[axis]), value(to[axis])].sort((a, b) => a - b);
    }
    this.to(ranges);
  }
}

/** Charts that are made anew have new zooms. */
export const forgetClocks = () => clocks.clear();
