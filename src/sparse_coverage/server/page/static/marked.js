// Texts with what was found marked in them. The server cuts them: each piece is a text, and how strong its mark is, of which feature.
import { h } from './dom.js';
import { LABELS } from './store.js';

const COLOURS = 8;
const { faint: FAINT } = LABELS; // the share of the strongest below which a mark is only underlined

/** The class that gives a feature of the claim its colour, by its number. */
export const featureClass = feature => (feature < 0 ? 'f-none' : `f${feature % COLOURS}`);

/** Returns nodes for pieces of a text; with `focusable`, one can go to those that have a partner on the other side. With the name of an
 * `index`, documents of it that are named are links. */
export function pieceNodes(pieces, { focusable = false, index = '' } = {}) {
  return pieces.map(one => (one.strength ? h('mark', {
    class: `${featureClass(one.feature)}${one.strength < FAINT ? ' faint' : ''}`, 'data-names': one.names.join(' ') || null,
    'data-partners': one.partners.join(' ') || null, tabindex: focusable && one.partners.length ? '0' : null,
  }, one.text) : index && one.held ? h('a', { href: `#/document/${encodeURIComponent(index)}/${encodeURIComponent(one.held)}`, title: one.held }, one.text) : one.text));
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
