// The frame that every section has, and the tables of numbers under the charts.
import {h, slug} from './dom.js';
import {NOT_MEASURED} from './format.js';

export function section(id, title, lead, ...content) {
  return h(
    'section',
    {id, class: 'card', 'aria-labelledby': `${id}-title`},
    h('h2', {id: `${id}-title`}, title),
    lead && h('p', {class: 'lead'}, lead),
    content,
  );
}

/** A section about what nobody measured. */
export function absent(id, title, what) {
  const made = section(
    id,
    title,
    null,
    h('p', {class: 'absent'}, h('span', {'aria-hidden': 'true'}, '○ '), `${what}: ${NOT_MEASURED}.`),
  );
  made.dataset.absent = title;
  return made;
}

/** Sections of what a first answer leaves out, as one that says so. */
export function leftOut(sections) {
  const titles = sections.filter((made) => made.dataset.absent).map((made) => made.dataset.absent);
  if (titles.length === 0) return sections;
  return [
    ...sections.filter((made) => !made.dataset.absent),
    section(
      'left-out',
      'Left out by --quick',
      'A first answer: step times alone, of shorter slices under one seed. The same command without --quick measures the rest.',
      h('p', {class: 'absent'}, `${titles.join('; ')}.`),
    ),
  ];
}

export const absentPart = (what) =>
  h('p', {class: 'absent'}, h('span', {'aria-hidden': 'true'}, '○ '), `${what}: ${NOT_MEASURED}.`);

function cell(value, column, index) {
  const missing = value === undefined || value === null || value === NOT_MEASURED;
  const attributes = {class: [column.number ? 'number' : '', missing ? 'missing' : ''].join(' ').trim() || null};
  const shown = missing ? NOT_MEASURED : value;
  return index === 0 ? h('th', {scope: 'row', ...attributes}, shown) : h('td', attributes, shown);
}

/** columns: [{name, number?}]; rows: lists of texts or elements, of which the first names the row. */
export function table(caption, columns, rows, options = {}) {
  const body = rows.map((row) =>
    h(
      'tr',
      {},
      row.map((value, index) => cell(value, columns[index], index)),
    ),
  );
  const foot =
    options.foot &&
    h(
      'tfoot',
      {},
      h(
        'tr',
        {},
        options.foot.map((value, index) => cell(value, columns[index], index)),
      ),
    );
  const made = h(
    'table',
    {class: options.class},
    h('caption', {}, caption),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        columns.map((column) => h('th', {scope: 'col', class: column.number ? 'number' : null}, column.name)),
      ),
    ),
    h('tbody', {}, body),
    foot,
  );
  return scrolling(made, caption);
}

/** Wide tables scroll by themselves, by keyboard too. */
export function scrolling(made, label) {
  return h('div', {class: 'scroll', role: 'region', tabindex: 0, 'aria-label': label}, made);
}

const unfilled = new Set(); // what makes the content of details that nobody has opened

/**
 * What opens. Its content is made when it is opened for the first time: by `make()`. `refresh()` makes it again if it was.
 */
export function opening(summary, make, options = {}) {
  const place = h('div', {});
  const element = h('details', {class: 'numbers', ...options}, h('summary', {}, summary), place);
  let filled = false;
  const fill = () => {
    if (filled) return;
    filled = true;
    unfilled.delete(fill);
    place.append(...[make()].flat(Infinity).filter(Boolean));
  };
  unfilled.add(fill);
  element.addEventListener('toggle', () => element.open && fill());
  const refresh = () => filled && place.replaceChildren(...[make()].flat(Infinity).filter(Boolean));
  return {element, refresh};
}

export const details = (summary, make) => opening(summary, make).element;

/** Everything that opens, filled. */
export const fillAll = () => [...unfilled].forEach((fill) => fill());
export const forgetUnfilled = () => unfilled.clear();

export const numbers = (caption, columns, rows) =>
  opening('Numbers as a table', () => table(caption, columns, rows())).element;

/** A choice with its label: {element, value()}; `onchange` is told the chosen value. */
export function select(label, values, onchange) {
  const id = `select-${slug(label)}`;
  const control = h(
    'select',
    {id, onchange: () => onchange(control.value)},
    values.map((value) => h('option', {value}, value)),
  );
  return {element: h('label', {class: 'control', for: id}, h('span', {}, label), control), value: () => control.value};
}
