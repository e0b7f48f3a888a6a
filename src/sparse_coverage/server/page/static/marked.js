// Texts with what was found marked in them. The server cuts them: each piece is a text, and how strong its mark is, of which feature.
import { h } from './dom.js';
import { LABELS } from './store.js';

const COLOURS = 8;
const { faint: FAINT } = LABELS; // the share of the strongest below which a mark is only underlined

/** The class that gives a feature of the claim its colour, by its number. */
export const featureClass = feature => (feature < 0 ? 'f-none' : `f${feature % COLOURS}`);

/** Returns nodes for pieces of a text; with `focusable`, one can go to those that have a partner on the other side. */
export function pieceNodes(pieces, { focusable = false } = {}) {
  return pieces.map(one => (one.strength ? h('mark', {
    class: `${featureClass(one.feature)}${one.strength < FAINT ? ' faint' : ''}`, 'data-names': one.names.join(' ') || null,
    'data-partners': one.partners.join(' ') || null, tabindex: focusable && one.partners.length ? '0' : null,
  }, one.text) : one.text));
}

const PAIR = /[\ud800-\udbff]/;

/** A text of which pieces can be cut by the places that the server gives. */
export function cutter(text) {
  if (!PAIR.test(text)) return (start, end) => text.slice(start, end);
  const letters = [...text];
  return (start, end) => letters.slice(start, end).join('');
}

/** Joins places that overlap: [{start, end, strength}], in order. */
function joined(places) {
  const found = [];
  for (const place of [...places].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = found.at(-1);
    if (last && place.start < last.end) last.end = Math.max(last.end, place.end);
    else found.push({ ...place });
  }
  return found;
}

/** Returns nodes: the text from `from` to `to` with its places marked. */
export function markedNodes(text, places, { from = 0, to = Infinity } = {}) {
  const cut = cutter(text);
  const nodes = [];
  let done = from;
  for (const place of joined(places)) {
    const start = Math.max(place.start, done);
    const end = Math.min(place.end, to);
    if (end <= start) continue;
    nodes.push(cut(done, start), h('mark', {}, cut(start, end)));
    done = end;
  }
  nodes.push(cut(done, to === Infinity ? undefined : to));
  return nodes;
}

/** Where to cut a text that is longer than so many characters: whole sentences around the strongest place. */
export function snippet(text, places, length) {
  if (text.length <= length) return [0, text.length];
  const strongest = places.reduce((best, one) => (one.strength > (best?.strength || 0) ? one : best), null);
  const at = strongest ? strongest.start : 0;
  let start = 0;
  for (const match of text.matchAll(/[.;]\s+/g)) {
    const end = match.index + match[0].length;
    if (end <= at) start = end;
  }
  if (at - start > length * 0.6) start = text.indexOf(' ', Math.max(start, at - length / 3)) + 1;
  const end = start + length >= text.length ? text.length : text.lastIndexOf(' ', start + length);
  return [start, end];
}

/** Pointing at a marked phrase, or focusing it, lights what it matches on the other side. */
export function lightPartners(root) {
  const light = event => {
    const mark = event.target.closest?.('mark[data-partners]');
    for (const lit of root.querySelectorAll('mark.lit')) lit.classList.remove('lit');
    if (!mark) return;
    mark.classList.add('lit');
    for (const name of mark.dataset.partners.split(' ')) {
      for (const other of root.querySelectorAll(`mark[data-names~="${name}"]`)) other.classList.add('lit');
    }
  };
  root.addEventListener('mouseover', light);
  root.addEventListener('focusin', light);
}
