// Reading: the whole document, the passages that the claim found marked, a map of where they are, the claim beside it.
import { get, idPath, ofIndex, post } from './api.js';
import { button, fill, h, outside } from './dom.js';
import { markButtons, noteOf, toggleMark } from './document_parts.js';
import { cutter, lightPartners, markedNodes } from './marked.js';
import { failed, say, state } from './status.js';
import { store } from './store.js';

const SECTIONS = { 'title+abstract': 'Title and abstract', abstract: 'Abstract', description: 'Description', claims: 'Claims' };
const FACTS = { publication_date: 'published', priority_date: 'priority', application_date: 'filed', applicants: 'applicants', inventors: 'inventors', ipc: 'IPC', cpc: 'CPC', family_members: 'family', citations: 'cites' };
const MATCHES = 15;
const LEAST = 0.25; // of the best score: what has less is no match worth going to

/** Shows a document. Returns the view with what its keys do. */
export function readingView(index, id, passage, actions) {
  const node = h('div', { class: 'reading' }, state(`Reading ${id}…`));
  const view = { node, id, index, step: () => {}, markPassage: () => {} };
  load();
  return view;

  async function load() {
    try {
      const found = await get(ofIndex(index, `/documents/${idPath(id)}`));
      const claim = store.search?.index === index ? store.search.result.query : '';
      draw(found, claim, claim ? 'comparing' : 'no claim');
      if (!claim) return jump(passage);
      const matched = await post(ofIndex(index, '/read'), { id, claim, matches: MATCHES });
      draw(worthwhile(matched), claim, '');
      jump(passage);
    } catch (error) { fill(node, failed(error, load)); }
    return undefined;
  }

  function draw(found, claim, waiting) {
    view.section = null;
    const ranked = Object.entries(found.matched || {}).sort((a, b) => b[1].score - a[1].score);
    const ranks = new Map(ranked.map(([one], place) => [one, place + 1]));
    const places = found.passages.map((one, number) => ({ id: one.id, number, rank: ranks.get(one.id) })).filter(one => one.rank);
    const texts = found.passages.map((one, number) => paragraph(one, number, found.matched?.[one.id], ranks.get(one.id)));
    const told = waiting === 'comparing' ? `Comparing ${found.passages.length} passages with the claim…`
      : waiting ? 'Search for a claim to see its matches here.' : `${places.length} ${places.length === 1 ? 'passage matches' : 'passages match'}, the best is number 1. j and k go through them.`;
    fill(node,
      h('div', { class: 'reading-head' },
        h('p', { class: 'row' }, h('a', { href: '#/search' }, '← Results'), h('span', { class: 'grow' }), actions.neighbours(id)),
        h('h1', {}, found.title || found.document),
        h('p', { class: 'facts' }, h('b', {}, found.document), Object.entries(found.links).map(([name, address]) => [' · ', outside(name, address)])),
        h('dl', { class: 'facts' }, Object.entries(FACTS).filter(([key]) => said(found.metadata[key])).map(([key, name]) => h('div', {}, h('dt', {}, name), ' ', h('dd', {}, said(found.metadata[key]))))),
        h('div', { class: 'row wrap' }, markButtons(index, found.document, found.title || found.document), button('Chart against the claim', () => actions.chartOne(found.document))),
        noteOf(index, found.document)),
      claim ? h('details', { class: 'reading-claim', open: !matchMedia('(max-width: 60rem)').matches }, h('summary', {}, 'Claim'),
        h('p', { class: 'text' }, claimNodes(claim, found)), h('p', { class: 'dim small' }, 'Point at a marked phrase to see its partners.')) : null,
      h('article', { class: 'reading-text', 'aria-label': 'Text of the document' }, h('p', { class: 'dim small matches', role: 'status' }, told), texts),
      places.length ? map(places, found.passages.length) : null);
    lightPartners(node);
    view.step = by => step(places, by);
    view.markPassage = mark => {
      const chosen = document.activeElement?.closest('.paragraph');
      if (chosen) toggleMark(index, chosen.dataset.id, mark);
      else say('Go to a passage first (j, k).');
    };
  }

  function paragraph(one, number, match, rank) {
    const reasons = match?.reasons.phrases || [];
    const places = reasons.map(reason => ({
      ...reason.passage, strength: reason.contribution, names: [`p${number}-${reason.passage.start}`], partners: [`q-${reason.query.start}`],
    }));
    const label = one.section === 'claims' ? `${one.number ? `${one.number}.` : ''}` : one.number ? `[${one.number}]` : '';
    return [
      heading(one),
      h('div', { class: `paragraph${rank ? ' matched' : ''}`, id: `passage-${number}`, 'data-id': one.id, 'data-rank': rank, tabindex: rank ? '-1' : null },
        rank ? h('div', { class: 'match row' }, h('span', {}, `match ${rank}`), h('span', { class: 'dim' }, match.score.toFixed(3)), h('span', { class: 'grow' }), markButtons(index, one.id, `match ${rank}`)) : null,
        h('p', { class: 'text' }, h('span', { class: 'number' }, label), label ? ' ' : '', markedNodes(one.text, places, { focusable: true })),
        noteOf(index, one.id)),
    ];
  }

  function heading({ section }) {
    if (section === view.section) return null;
    view.section = section;
    return h('h2', {}, SECTIONS[section] || section);
  }

  function claimNodes(claim, found) {
    const places = Object.entries(found.matched || {}).flatMap(([one, match]) => {
      const number = found.passages.findIndex(passage => passage.id === one);
      return match.reasons.phrases.filter(reason => reason.query.text).map(reason => ({
        ...reason.query, strength: reason.contribution, names: [`q-${reason.query.start}`], partners: [`p${number}-${reason.passage.start}`],
      }));
    });
    return places.length ? markedNodes(claim, places, { focusable: true }) : [cutter(claim)(0)];
  }

  function map(places, count) {
    return h('nav', { class: 'map', 'aria-label': 'Where the matches are' }, places.map(one => {
      const made = h('button', { type: 'button', class: one.rank <= 3 ? 'strong' : '', 'aria-label': `match ${one.rank}`, title: `match ${one.rank}`, onclick: () => go(one.number) }, one.rank);
      made.style.top = `${100 * one.number / count}%`;
      return made;
    }));
  }

  function step(places, by) {
    if (!places.length) return;
    const at = document.activeElement?.closest('.paragraph');
    const now = at ? Number(at.id.slice('passage-'.length)) : by > 0 ? -1 : Infinity;
    const ahead = by > 0 ? places.find(one => one.number > now) : places.findLast(one => one.number < now);
    if (ahead) go(ahead.number);
    else say(by > 0 ? 'That was the last match.' : 'That was the first match.');
  }

  function go(number) {
    const target = node.querySelector(`#passage-${number}`);
    target?.setAttribute('tabindex', '-1');
    target?.scrollIntoView({ block: 'center' });
    target?.focus({ preventScroll: true });
  }

  /** Goes to a passage by its id, a piece of a paragraph to the whole of it; else to the best match is one key away. */
  function jump(wanted) {
    if (!wanted) return;
    const whole = wanted.replace(/:\d+$/, '');
    const target = [...node.querySelectorAll('.paragraph')].find(one => one.dataset.id === whole || one.dataset.id === wanted);
    if (target) go(Number(target.id.slice('passage-'.length)));
  }
}

/** A document without the matches that are far weaker than the best one. */
function worthwhile(found) {
  const best = Math.max(...Object.values(found.matched).map(one => one.score));
  return { ...found, matched: Object.fromEntries(Object.entries(found.matched).filter(([, one]) => one.score >= LEAST * best)) };
}

const said = value => (Array.isArray(value) ? value.join(', ') : value || '');
