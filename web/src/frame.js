// What every page has: its head, the list of its sections, and the place for them.
import {h} from './dom.js';
import {currentTheme, onThemeChange, toggleTheme} from './theme.js';

function themeButton() {
  const text = () => (currentTheme().dark ? '☀ Light' : '☾ Dark');
  const button = h('button', {type: 'button', id: 'theme', class: 'control', onclick: toggleTheme}, text());
  onThemeChange(() => {
    button.textContent = text();
  });
  return button;
}

function header({motto, title, lines, chips}) {
  return h(
    'header',
    {class: 'head'},
    h(
      'div',
      {class: 'bar'},
      h('span', {class: 'mark'}, h('b', {}, 'weft'), motto),
      h(
        'div',
        {class: 'tools'},
        themeButton(),
        h('button', {type: 'button', class: 'control', onclick: () => window.print()}, 'Print'),
      ),
    ),
    h('h1', {}, title),
    lines.filter(Boolean).map((line) => h('p', {class: line.class}, line.text)),
    h(
      'ul',
      {class: 'chips', 'aria-label': 'Scenario'},
      chips.map((chip) => h('li', {}, chip)),
    ),
  );
}

export function contents(sections) {
  return h(
    'nav',
    {class: 'contents', 'aria-label': 'Sections'},
    h(
      'ol',
      {},
      sections.map((made) => h('li', {}, h('a', {href: `#${made.id}`}, made.querySelector('h2').textContent))),
    ),
  );
}

/** Puts the frame into the page: {main, side} are where sections and what stands beside them go. */
export function frame(what) {
  const main = h('main', {id: 'content', tabindex: -1});
  const side = h('div', {class: 'side'});
  document.getElementById('page').replaceChildren(header(what), h('div', {class: 'columns'}, side, main));
  return {main, side};
}
