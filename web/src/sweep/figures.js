// What sections of a sweep ask of its document: figures with their unit, points with theirs.
import {bytes, isNumber, plain, rate, seconds} from '../format.js';

const FORMATS = {
  s: seconds,
  'bit/s': rate,
  bytes,
  'bytes/s': (value) => `${bytes(value)}/s`,
};

/** How values of a figure are written: "1.23 ms". */
export const formatOf = (figure) => FORMATS[figure.unit] ?? plain;

export const intervalOf = (own, format) =>
  isNumber(own?.low) && isNumber(own?.high) ? `${format(own.low)} to ${format(own.high)}` : undefined;

/** Points that have the figure, the best first. */
export function ranked(sweep, figure) {
  const sign = figure.better === 'lower' ? 1 : -1;
  return sweep.points
    .filter((point) => isNumber(point[figure.figure]?.mean))
    .sort((a, b) => sign * (a[figure.figure].mean - b[figure.figure].mean));
}

/** Names of the keys that are as short as they can be: the last words that no other key has. */
export function shortNames(keys) {
  const last = (key, words) => key.split('.').slice(-words).join('.');
  return keys.map(({key}) => {
    for (let words = 1; words <= key.split('.').length; words += 1) {
      if (keys.filter((other) => last(other.key, words) === last(key, words)).length === 1) return last(key, words);
    }
    return key;
  });
}
