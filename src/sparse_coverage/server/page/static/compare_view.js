// Side by side: the claim and two or three documents next to each other, each scrolled to what answers the chosen feature best.
import { button, fill, h } from './dom.js';
import { markButtons } from './document_parts.js';
import { featureClass, lightPartners } from './marked.js';
import { claimFor, paragraphNodes, paragraphOf, viewOf } from './reading_view.js';
import { failed, state } from './status.js';
import { relevantDocuments, store } from './store.js';

export const MOST = 3;

/** The documents to begin with: those given, then those marked relevant, then the first found. */
export function toCompare(given = []) {
  const { index, result } = store.search || {};
  if (!index) return [];
  return [...new Set([...given, ...relevantDocuments(index), ...result.hits.map(hit => hit.document)])].slice(0, MOST);
}

/** Shows documents side by side. */
export function compareView(index, ids) {
  const node = h('div', { class: 'compare' }, state('Reading…'));
  const beside = claimFor(index);
  let panes = [];
  load();
  return { node, index, id: ids[0], step: () => {}, markPassage: () => {} };

  async function load() {
    try {
      const found = await Promise.all(ids.map(id => viewOf(index, id, beside)));
      panes = found.map((one, place) => ({ found: one, node: pane(one, place) }));
      fill(node, h('h1', { class: 'unseen' }, 'Side by side'), claimPane(), panes.map(one => one.node));
      lightPartners(node);
      if (beside.elements.length) choose(0);
    } catch (error) { fill(node, failed(error, load)); }
  }

  function claimPane() {
    return h('section', { class: 'compare-claim', 'aria-label': 'Claim' },
      h('p', { class: 'row' }, h('a', { href: '#/search' }, '← Results')),
      beside.elements.length
        ? h('ol', { class: 'compare-features' }, beside.elements.map((one, number) => h('li', {}, h('button', { type: 'button', class: 'feature', 'aria-pressed': 'false', onclick: () => choose(number) }, h('b', { class: `chip ${featureClass(number)}` }, one.label), ' ', one.text))))
        : h('p', { class: 'text' }, beside.claim || 'Search for a claim to see it here.'));
  }

  function pane(found, place) {
    return h('section', { class: 'compare-document', 'aria-label': found.document },
      h('header', {}, h('h2', {}, h('a', { href: `#/document/${encodeURIComponent(index)}/${encodeURIComponent(found.document)}` }, found.document)), h('p', { class: 'dim small' }, found.title),
        h('p', { class: 'small answer', role: 'status' }), h('div', { class: 'row wrap' }, markButtons(index, found.document, found.document, { note: false }),
          ids.length > 1 ? button('×', () => { location.hash = compareHash(index, ids.filter(id => id !== ids[place])); }, { class: 'quiet', 'aria-label': `Take ${found.document} away` }) : null)),
      h('div', { class: 'compare-text', tabindex: '0', role: 'region', 'aria-label': `Text of ${found.document}` }, paragraphNodes(index, found, `d${place}-`)));
  }

  /** Scrolls each document to what answers a feature best. */
  function choose(number) {
    [...node.querySelectorAll('.feature')].forEach((one, place) => one.setAttribute('aria-pressed', String(place === number)));
    for (const { found, node: shown } of panes) {
      for (const one of shown.querySelectorAll('.paragraph.chosen')) one.classList.remove('chosen');
      const target = found.best[number] && paragraphOf(shown, found.best[number]);
      const paragraph = target && found.paragraphs.find(one => one.id === target.dataset.id);
      shown.querySelector('.answer').textContent = paragraph ? `${beside.elements[number].label}: ${paragraph.place}` : `${beside.elements[number].label}: no passage that matches has words for it`;
      if (!target) continue;
      target.classList.add('chosen');
      const scroller = shown.querySelector('.compare-text');
      scroller.scrollTop += target.getBoundingClientRect().top - scroller.getBoundingClientRect().top - 12;
    }
  }
}

export const compareHash = (index, ids) => `#/compare/${[index, ...ids].map(encodeURIComponent).join('/')}`;
