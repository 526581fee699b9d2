// Numbers as people read them, in one format for the whole page: four significant digits, three of money and shares; a unit that
// suits the size; commas between thousands; a true minus. Absent figures are "not measured", never zero.

export const NOT_MEASURED = 'not measured';

export const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

const minus = (text) => text.replace('-', '−');

/** At least `digits` significant digits, no exponent, no superfluous zeros after the point. */
export function significant(value, digits = 4) {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-9) return minus(value.toPrecision(digits));
  const decimals = Math.max(0, Math.min(12, digits - 1 - Math.floor(Math.log10(size))));
  return minus(value.toLocaleString('en-US', {maximumFractionDigits: decimals}));
}

function scaled(value, units, digits) {
  const size = Math.abs(value);
  const unit = units.find(([factor]) => size >= factor) ?? units[units.length - 1];
  return `${significant(value / unit[0], digits)} ${unit[1]}`;
}

const TIMES = [
  [1, 's'],
  [1e-3, 'ms'],
  [1e-6, 'µs'],
  [1e-9, 'ns'],
];
const BYTES = [
  [2 ** 40, 'TiB'],
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
  [1, 'B'],
];
const COUNTS = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
];
const RATES = [
  [1e12, 'Tb/s'],
  [1e9, 'Gb/s'],
  [1e6, 'Mb/s'],
  [1, 'b/s'],
];
const POWERS = [
  [1e6, 'MW'],
  [1e3, 'kW'],
  [1, 'W'],
];

export const seconds = (value, digits = 4) => (value === 0 ? '0 s' : scaled(value, TIMES, digits));
export const microseconds = (value) => seconds(value * 1e-6);
export const bytes = (value) => scaled(value, BYTES, 4);
export const rate = (value) => scaled(value, RATES, 4);
export const watts = (value) => scaled(value, POWERS, 4);
export const count = (value) =>
  Math.abs(value) < 1e6 ? minus(value.toLocaleString('en-US', {maximumFractionDigits: 2})) : scaled(value, COUNTS, 4);
/** As the texts of the results have money: "3.41 M USD", "148,000 USD", "412 USD", "4.12 USD", "0.0168 USD". */
export function dollars(value) {
  const size = Math.abs(value);
  if (size >= 1e6) return `${minus((value / 1e6).toFixed(2))} M USD`;
  const decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 || size === 0 ? 2 : 2 - Math.floor(Math.log10(size));
  return `${minus(value.toLocaleString('en-US', {minimumFractionDigits: decimals, maximumFractionDigits: decimals}))} USD`;
}
export const percent = (share, digits = 3) => `${significant(share * 100, digits)} %`;
/** A change: two places after the point below 10 %, one above. */
export function signedPercent(share) {
  const shown = (share * 100).toLocaleString('en-US', {
    maximumFractionDigits: Math.abs(share) < 0.1 ? 2 : 1,
    signDisplay: 'exceptZero',
  });
  return `${minus(shown)} %`;
}
export const plain = (value) => significant(value, 4);
export const ratio = (value) => `${value.toFixed(value < 10 ? 3 : 1)} ×`;

/** A number of an axis. */
export const tick = (value) => significant(value, 4);
/** A sentence of the results, with the units and signs of the page. */
export const worded = (text) =>
  String(text ?? '')
    .replace(/(\d) us\b/g, '$1 µs')
    .replace(/(^|[\s(])-(?=[\d.]+ ?(%|USD|s\b|ms\b|µs\b))/g, '$1−')
    .replace(/\+-/g, '±');

/** `format(value)`, or that it was not measured. */
export const orNot = (value, format) => (isNumber(value) ? format(value) : NOT_MEASURED);

/** A unit that suits the largest of some times: {factor, name}. */
export function timeUnit(largest) {
  const [factor, name] = TIMES.find(([size]) => Math.abs(largest) >= size) ?? TIMES[TIMES.length - 1];
  return {factor: 1 / factor, name};
}

/** The next of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten: where an axis may end. Zero stays. */
export function niceCeil(value) {
  if (!(value > 0)) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((step) => step * power >= value * (1 - 1e-9));
}
