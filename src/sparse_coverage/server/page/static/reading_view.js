// Reading: the whole document, the passages that the claim found marked, a map of where they are, the claim beside it.
import { fetched, get, idPath, ofIndex, post } from './api.js';
import { button, fill, h, outside } from './dom.js';
import { markButtons, noteOf, toggleMark } from './document_parts.js';
import { featureClass, lightPartners, pieceNodes } from './marked.js';
import { failed, say, state } from './status.js';
import { store } from './store.js';

const MATCHES = 15;
const APART = 4; // percent of the map, at least, from the number of one match to the next

/** The claim of the search that is shown, as a document is set against it: {claim, elements}; none for another index. */
export const claimFor = index => (store.search?.index === index
  ? { claim: store.search.result.query, elements: store.search.request.elements || [] } : { claim: '', elements: [] });

/** Asks for a document as it is to be shown beside a claim. */
export const viewOf = (index, id, { claim, elements }) =>
  post(ofIndex(index, '/view'), { id, claim: claim || null, elements: elements.map(one => one.text), matches: MATCHES });

/** The paragraphs of a document. `prefix` keeps the places of two documents apart. */
export function paragraphNodes(index, found, prefix = '') {
  return found.paragraphs.map((one, number) => [
    one.heading ? h('h2', {}, one.heading) : null,
    h('div', { class: `paragraph${one.rank ? ' matched' : ''}`, id: `${prefix}passage-${number}`, 'data-id': one.id, 'data-rank': one.rank || null, tabindex: one.rank ? '-1' : null },
      one.rank ? h('div', { class: 'match row' }, h('span', {}, `match ${one.rank}`), h('span', { class: 'dim' }, one.place), h('span', { class: 'grow' }), markButtons(index, one.id, `match ${one.rank}`)) : null,
      h('p', { class: 'text' }, h('span', { class: 'number' }, one.label), one.label ? ' ' : '', pieceNodes(one.pieces, { focusable: true, index })),
      noteOf(index, one.id)),
  ]);
}

/** What a document cites, what cites it, its family, and its drawings: loaded when the text is there already. */
function relatives(index, id) {
  const node = h('div', { class: 'relatives' });
  get(ofIndex(index, `/related/${idPath(id)}`)).then(found => {
    const list = (name, ids) => (ids.length ? h('div', {}, h('dt', {}, name), ' ', h('dd', {}, ids.map((one, place) => [place ? ', ' : '',
      one.held ? h('a', { href: `#/document/${encodeURIComponent(index)}/${encodeURIComponent(one.held)}` }, one.id) : one.id]))) : null);
    const shown = h('div', { class: 'drawings' });
    const fold = h('details', { class: 'fold', ontoggle: () => { if (fold.open && !shown.childNodes.length) drawings(index, id, found.drawings, shown); } }, h('summary', {}, `Drawings (${found.drawings.length})`), shown);
    fill(node, h('dl', { class: 'facts' }, list('cites', found.cites), list('cited by', found.cited_by), list('family', found.family)), found.drawings.length ? fold : null);
  }).catch(() => {});
  return node;
}

async function drawings(index, id, names, parent) {
  for (const [place, name] of names.entries()) {
    const address = await fetched(`${ofIndex(index, `/drawings/${idPath(id)}`)}?file=${encodeURIComponent(name)}`);
    parent.append(h('a', { href: address, target: '_blank' }, name.toLowerCase().endsWith('.pdf') ? name : h('img', { src: address, alt: `drawing ${place + 1}` })));
  }
}

/** Shows a document. Returns the view with what its keys do. */
export function readingView(index, id, passage, actions) {
  const node = h('div', { class: 'reading' }, state(`Reading ${id}…`));
  const view = { node, id, index, step: () => {}, markPassage: () => {} };
  load();
  return view;

  async function load() {
    try {
      const beside = claimFor(index);
      if (beside.claim) draw(await viewOf(index, id, { claim: '', elements: [] }), beside, 'comparing');
      draw(await viewOf(index, id, beside), beside, beside.claim ? '' : 'no claim');
      jump(passage);
    } catch (error) { fill(node, failed(error, load)); }
  }

  function draw(found, { elements }, waiting) {
    const places = found.paragraphs.map((one, number) => ({ number, rank: one.rank })).filter(one => one.rank);
    const told = waiting === 'comparing' ? `Comparing ${found.paragraphs.length} passages with the claim…`
      : waiting ? 'Search for a claim to see its matches here.' : `${places.length} ${places.length === 1 ? 'passage matches' : 'passages match'}, the best is number 1. j and k go through them, best first.`;
    fill(node,
      h('div', { class: 'reading-head' },
        h('p', { class: 'row' }, h('a', { href: '#/search' }, '← Results'), h('span', { class: 'grow' }), actions.neighbours(id)),
        h('h1', {}, found.title || found.document),
        h('p', { class: 'facts' }, h('b', {}, found.document), Object.entries(found.links).map(([name, address]) => [' · ', outside(name, address)])),
        h('dl', { class: 'facts' }, Object.entries(found.facts).filter(([name]) => name !== 'family').map(([name, value]) => h('div', {}, h('dt', {}, name), ' ', h('dd', {}, value)))),
        waiting === 'comparing' ? null : relatives(index, found.document),
        h('div', { class: 'row wrap' }, markButtons(index, found.document, found.title || found.document), button('Chart against the claim', () => actions.chartOne(found.document)), button('Read side by side', () => actions.compare([found.document]), { title: 's' })),
        noteOf(index, found.document)),
      found.claim.length ? h('details', { class: 'reading-claim', open: !matchMedia('(max-width: 60rem)').matches }, h('summary', {}, 'Claim'),
        featureButtons(elements, found, best => jump(best)),
        h('p', { class: 'text' }, pieceNodes(found.claim, { focusable: true })), h('p', { class: 'dim small' }, 'Point at a marked phrase to see its partners. A feature goes to the passage that answers it best.')) : null,
      h('article', { class: 'reading-text', 'aria-label': 'Text of the document' }, h('p', { class: 'dim small matches', role: 'status' }, told), paragraphNodes(index, found)),
      places.length ? map(places, found.paragraphs.length) : null);
    lightPartners(node);
    view.step = by => step(places, by);
    view.markPassage = mark => {
      const chosen = document.activeElement?.closest('.paragraph');
      if (chosen) toggleMark(index, chosen.dataset.id, mark);
      else say('Go to a passage first (j, k).');
    };
  }

  function map(places, count) {
    const tops = spread(places.map(one => 100 * one.number / count));
    return h('nav', { class: 'map', 'aria-label': 'Where the matches are' }, places.map((one, at) => {
      const made = h('button', { type: 'button', class: one.rank <= 3 ? 'strong' : '', 'aria-label': `match ${one.rank}`, title: `match ${one.rank}`, onclick: () => go(one.number) }, one.rank);
      made.style.top = `${tops[at]}%`;
      return made;
    }));
  }

  function step(places, by) {
    if (!places.length) return;
    const now = Number(document.activeElement?.closest('.paragraph')?.dataset.rank || 0);
    const ranked = [...places].sort((one, other) => one.rank - other.rank);
    const ahead = ranked[ranked.findIndex(one => one.rank === now) + by];
    if (ahead) go(ahead.number);
    else say(by > 0 ? 'That was the last match.' : 'That was the best match.');
  }

  function go(number) {
    const target = node.querySelector(`#passage-${number}`);
    target?.setAttribute('tabindex', '-1');
    target?.scrollIntoView({ block: 'center' });
    target?.focus({ preventScroll: true });
  }

  /** Goes to a passage by its id, a piece of a paragraph to the whole of it; else to the best match is one key away. */
  function jump(wanted) {
    const target = wanted && paragraphOf(node, wanted);
    if (target) go(Number(target.id.slice('passage-'.length)));
  }
}

/** Places on the map, moved as little as keeps their numbers readable: in the order of the text, and all on it. */
function spread(tops) {
  const made = [];
  for (const [at, top] of tops.entries()) made.push(Math.max(top, at ? made[at - 1] + APART : APART / 2));
  for (let at = made.length - 1, most = 100 - APART / 2; at >= 0; at--, most -= APART) made[at] = Math.min(made[at], most);
  return made;
}

/** The paragraph of a passage, a piece of which may be named. */
export function paragraphOf(node, wanted) {
  const whole = wanted.replace(/:\d+$/, '');
  return [...node.querySelectorAll('.paragraph')].find(one => one.dataset.id === whole || one.dataset.id === wanted);
}

/** A button for each feature of the claim, in its colour; with an edge where the document has single words of it, dashed where it has none. */
function featureButtons(elements, { best, by_words: words }, choose) {
  return elements.length ? h('p', { class: 'row wrap feature-buttons' }, elements.map((one, number) =>
    h('button', { type: 'button', class: `chip ${best[number] ? featureClass(number) : 'empty'}${words.includes(number) ? ' some' : ''}`, title: one.text, disabled: !best[number], onclick: () => choose(best[number], number) }, one.label))) : null;
}
