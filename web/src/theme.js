// Light and dark: what the system prefers until the reader chooses. Paper is always light.

const LIGHT = {
  dark: false,
  ink: '#172033',
  soft: '#4d5b70',
  faint: '#7b889b',
  line: '#dfe5ec',
  grid: '#e9edf2',
  surface: '#ffffff',
  raised: '#ffffff',
};
const DARK = {
  dark: true,
  ink: '#e8edf5',
  soft: '#b0bccd',
  faint: '#8593a8',
  line: '#2e3a4c',
  grid: '#263041',
  surface: '#141b27',
  raised: '#1d2635',
};

const system = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = [];
let chosen = null;
let printing = false;

export function currentTheme() {
  return !printing && (chosen ?? (system.matches ? 'dark' : 'light')) === 'dark' ? DARK : LIGHT;
}

export const onThemeChange = (listener) => listeners.push(listener);

function announce() {
  document.documentElement.dataset.theme = currentTheme().dark ? 'dark' : 'light';
  listeners.forEach((listener) => listener(currentTheme()));
}

export function toggleTheme() {
  chosen = currentTheme().dark ? 'light' : 'dark';
  announce();
}

export function setPrinting(value) {
  printing = value;
  announce();
}

system.addEventListener('change', announce);
announce();
