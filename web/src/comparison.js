// The comparison document, and what many sections ask of it.
import {isNumber} from './format.js';

export function readDocument() {
  return JSON.parse(document.getElementById('weft-data').textContent);
}

/** Fabrics with figures; those that are not possible have none. */
export const possible = (comparison) => comparison.fabrics.filter((fabric) => fabric.possible);
export const impossible = (comparison) => comparison.fabrics.filter((fabric) => !fabric.possible);

export const list = (value) => (Array.isArray(value) ? value : []);

/** The fabrics for which `get` gives a number. */
export const measured = (comparison, get) => possible(comparison).filter((fabric) => isNumber(get(fabric)));

/** The fabrics for which `get` gives a list with something in it. */
export const having = (comparison, get) => possible(comparison).filter((fabric) => list(get(fabric)).length > 0);

export const originText = (origin) => (origin === 'catalogue' ? 'from the catalogue' : origin);

const GIVEN = ['given', 'not known'];

/** A price of the catalogue is in that of the network: not where the scenario gives all of them, or nothing is bought. */
export const isIndicative = (fabric) =>
  !Array.isArray(fabric.bill) ||
  fabric.bill.some((line) => !line.owned && line.price_usd !== 0 && !GIVEN.includes(line.mark));

/** The sentence about prices, where one of these fabrics has such a price. */
export const indicativeText = (fabrics, text) => (fabrics.some(isIndicative) ? text : '');
