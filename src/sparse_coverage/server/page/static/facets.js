// Facets: what the best documents found have in common, with counts; each value narrows the search.
import { h } from './dom.js';
import { LABELS } from './store.js';

const SHOWN = 8;

/** Makes the lists. `filters` knows which values are chosen, `search` searches again. */
export function facetList(facets, filters, search) {
  return Object.entries(LABELS.facets).filter(([name]) => Object.keys(facets?.[name] || {}).length).map(([name, title]) => {
    const byValue = (a, b) => b[0].localeCompare(a[0]);
    const values = Object.entries(facets[name]).sort(name === 'year' ? byValue : (a, b) => b[1] - a[1] || -byValue(a, b));
    const most = Math.max(...values.map(one => one[1]));
    const rows = values.map(([value, count]) => row(name, value, count, most, filters, search));
    return h('details', { class: 'fold facet', open: name !== 'applicant' || values.length < SHOWN }, h('summary', {}, title),
      h('ul', {}, rows.slice(0, SHOWN)),
      rows.length > SHOWN ? h('details', { class: 'more' }, h('summary', {}, `${rows.length - SHOWN} more`), h('ul', {}, rows.slice(SHOWN))) : null);
  });
}

function row(name, value, count, most, filters, search) {
  const bar = h('span', { class: 'share', 'aria-hidden': 'true' });
  bar.style.width = `${100 * count / most}%`;
  return h('li', {}, h('button', {
    type: 'button', class: 'facet-value', 'aria-pressed': String(filters.has(name, value)),
    onclick: () => { filters.toggle(name, value); search(); },
  }, bar, h('span', { class: 'name' }, value), h('span', { class: 'count' }, count)));
}
