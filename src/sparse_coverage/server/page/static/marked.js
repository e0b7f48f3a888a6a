// Texts with places marked in them. Places count characters as the server does: one for each, also beyond the first plane.
import { h } from './dom.js';

const PAIR = /[\ud800-\udbff]/;

/** A text of which pieces can be cut by the places that the server gives. */
export function cutter(text) {
  if (!PAIR.test(text)) return (start, end) => text.slice(start, end);
  const letters = [...text];
  return (start, end) => letters.slice(start, end).join('');
}

/** Joins places that overlap: [{start, end, strength, names, partners}], in order. */
export function joined(places) {
  const found = [];
  for (const place of [...places].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = found.at(-1);
    if (last && place.start < last.end) {
      last.end = Math.max(last.end, place.end);
      last.strength += place.strength;
      last.names.push(...place.names || []);
      last.partners.push(...place.partners || []);
    } else found.push({ ...place, names: [...place.names || []], partners: [...place.partners || []] });
  }
  return found;
}

/** Returns nodes: the text from `from` to `to` with its places marked, the stronger the deeper. */
export function markedNodes(text, places, { from = 0, to = Infinity, focusable = false } = {}) {
  const cut = cutter(text);
  const all = joined(places);
  const strongest = Math.max(...all.map(place => place.strength), 1e-9);
  const nodes = [];
  let done = from;
  for (const place of all) {
    const start = Math.max(place.start, done);
    const end = Math.min(place.end, to);
    if (end <= start) continue;
    nodes.push(cut(done, start));
    const level = 1 + Math.min(3, Math.floor(4 * place.strength / strongest));
    nodes.push(h('mark', {
      class: `m${level}`, 'data-names': place.names.join(' ') || null, 'data-partners': place.partners.join(' ') || null,
      tabindex: focusable && place.partners.length ? '0' : null,
    }, cut(start, end)));
    done = end;
  }
  nodes.push(cut(done, to === Infinity ? undefined : to));
  return nodes;
}

/** The places of a passage that its reasons name. */
export const placesOf = reasons => (reasons?.phrases || []).map(one => ({ ...one.passage, strength: one.contribution }));

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
