// Which fabrics the page shows. What is said of all of them (recommendation, ratios) stays as it is.
import {h} from './dom.js';
import {fabricName} from './marks.js';

export class FabricChoice {
  /** `changed()` is called when the reader hides or shows a fabric. */
  constructor(comparison, looks, changed) {
    this.comparison = comparison;
    this.hidden = new Set();
    this.changed = changed;
    this.boxes = comparison.fabrics.map((fabric) => this.box(fabric, looks));
    this.all = h('button', {type: 'button', class: 'control', hidden: true, onclick: () => this.showAll()}, 'Show all');
    this.element =
      comparison.fabrics.length > 1 &&
      h(
        'fieldset',
        {class: 'choice', id: 'fabric-choice'},
        h('legend', {}, 'Fabrics shown'),
        this.boxes.map(({label}) => label),
        this.all,
      );
  }

  box(fabric, looks) {
    const input = h('input', {
      type: 'checkbox',
      checked: true,
      onchange: () => {
        if (input.checked) this.hidden.delete(fabric.name);
        else this.hidden.add(fabric.name);
        this.update();
      },
    });
    return {name: fabric.name, input, label: h('label', {}, input, fabricName(fabric, looks))};
  }

  showAll() {
    this.hidden.clear();
    this.update();
  }

  update() {
    const left = this.boxes.length - this.hidden.size;
    for (const {name, input} of this.boxes) {
      input.checked = !this.hidden.has(name);
      input.disabled = left === 1 && input.checked; // one stays
    }
    this.all.hidden = this.hidden.size === 0;
    this.changed();
  }

  /** The comparison without the hidden fabrics. */
  shown() {
    if (this.hidden.size === 0) return this.comparison;
    return {...this.comparison, fabrics: this.comparison.fabrics.filter((fabric) => !this.hidden.has(fabric.name))};
  }

  /** That fabrics are hidden, for the top of the page and for paper. */
  note() {
    if (this.hidden.size === 0) return null;
    const names = this.comparison.fabrics.map((fabric) => fabric.name).filter((name) => this.hidden.has(name));
    return h(
      'p',
      {class: 'notice', id: 'hidden-fabrics'},
      `Hidden: ${names.join(', ')}. Sentences, and ratios to the best, are still of all fabrics.`,
    );
  }
}
