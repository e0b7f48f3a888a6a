// Where the page begins: it learns what there is, opens the last project and shows the view that the address names.
import { get } from './api.js';
import { chartView } from './chart_view.js';
import { compareHash, compareView, toCompare } from './compare_view.js';
import { editNote, toggleMark } from './document_parts.js';
import { button, byId, fill, h } from './dom.js';
import { listenToKeys, showKeys } from './keys.js';
import { keepInStep, openLast, undo } from './project.js';
import { projectView } from './project_view.js';
import { readingView } from './reading_view.js';
import { redraw } from './redraw.js';
import { searchView } from './search_view.js';
import { failed, notice, say } from './status.js';
import { on, store, tell } from './store.js';

const main = byId('main');
let views = null;
let reading = null;
let row = null; // the result that keys are about

const go = view => { location.hash = `#/${view}`; };

async function begin() {
  try {
    const every = await get('/v1/indexes');
    store.indexes = every.filter(one => !one.missing);
    if (every.length && !store.indexes.length) throw new Error(every.map(one => one.missing).join(' '));
    for (const one of every.filter(one => one.missing)) notice(`missing ${one.name}`, `${one.missing} The other indexes can be searched.`);
    store.index = store.indexes[0]?.name || '';
    await openLast();
    if (store.search && store.indexes.some(one => one.name === store.search.index)) store.index = store.search.index;
  } catch (error) {
    fill(main, failed(error, begin));
    return;
  }
  const withClaim = work => () => { if (store.search) { go('chart'); work(); } else say('Search for a claim first.'); };
  const actions = { chart: withClaim(() => views.chart.make()), combine: withClaim(() => views.chart.combine()), chosen, chartOne, chartThese, compare, neighbours, go };
  views = { search: searchView(actions), chart: chartView(), project: projectView(actions) };
  views.actions = actions;
  chooseIndex();
  on('project', showName);
  showName();
  addEventListener('hashchange', show);
  keepInStep();
  listenToKeys(keys);
  byId('keys').onclick = showKeys;
  show();
  if (!store.kept) notice('kept', 'This server keeps no projects: what you do here ends with it. Start it with --projects FOLDER, or export what you need.');
}

function show() {
  const [view = 'search', ...rest] = location.hash.replace(/^#\/?/, '').split('/').map(decodeURIComponent);
  reading = view === 'document' && rest.length > 1 ? readingView(rest[0], rest[1], rest[2], views.actions)
    : view === 'compare' && rest.length > 1 ? compareView(rest[0], rest.slice(1)) : null;
  const shown = reading || views[view] || views.search;
  say(''); // what was told of another view says nothing about this one
  fill(main, shown.node);
  shown.draw?.();
  redraw();
  const name = reading ? 'document' : views[view] ? view : 'search';
  document.title = `${reading ? rest[1] : name[0].toUpperCase() + name.slice(1)} · Sparse Coverage`;
  for (const link of document.querySelectorAll('nav [data-view]')) {
    if (link.dataset.view === name) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  if (name === 'search' && row?.isConnected) row.querySelector('.title').focus();
  else if (name !== 'search') { main.focus({ preventScroll: true }); scrollTo(0, 0); }
}

function chooseIndex() {
  const choice = byId('index');
  fill(choice, store.indexes.map(one => h('option', { value: one.name }, `${one.name} (${one.documents.toLocaleString('en')})`)));
  choice.value = store.index;
  choice.onchange = () => { store.index = choice.value; tell('index'); };
  byId('index-choice').hidden = store.indexes.length < 2;
  on('search', () => { if (store.search && store.indexes.some(one => one.name === store.search.index)) { store.index = choice.value = store.search.index; tell('index'); } });
}

function showName() { byId('project-name').textContent = store.project?.name || 'no project yet'; }

function chosen(one) {
  for (const other of main.querySelectorAll('.result.chosen')) other.classList.remove('chosen');
  row = one;
  one.classList.add('chosen');
}

function chartOne(id) {
  go('chart');
  views.chart.chartOne(id);
}

function chartThese(ids, claim) {
  go('chart');
  views.chart.make(ids, claim);
}

/** Shows documents side by side: those given, those marked relevant, the first found. */
function compare(given) {
  const ids = toCompare(Array.isArray(given) ? given : []);
  if (ids.length) location.hash = compareHash(store.search.index, ids);
  else say('Search for a claim first.');
}

/** Links to the document found before and after one. */
function neighbours(id) {
  const hits = store.search?.result.hits || [];
  const at = hits.findIndex(hit => hit.document === id);
  if (at < 0) return null;
  const link = (to, text) => (hits[to] ? button(text, () => open(to)) : null);
  return [h('span', { class: 'dim' }, `${at + 1} of ${hits.length}`), link(at - 1, '‹ previous'), link(at + 1, 'next ›')];
}

function open(place) {
  const hit = store.search?.result.hits[place];
  if (hit) location.hash = `#/document/${encodeURIComponent(store.search.index)}/${encodeURIComponent(hit.document)}`;
}

function step(by) {
  if (reading) return reading.step(by);
  const rows = [...main.querySelectorAll('.result')];
  if (!rows.length) return undefined;
  const at = rows.indexOf(row);
  const next = rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + by))];
  next.querySelector('.title').focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
  return undefined;
}

/** What a key is about: the document that is read, else the result that was chosen. */
function subject() {
  if (reading) return [reading.index, reading.id];
  return row?.isConnected ? [row.dataset.index, row.dataset.id] : null;
}

function withSubject(work) {
  const about = subject();
  if (about) work(...about);
}

function markPassage(mark) {
  if (reading) reading.markPassage(mark);
  else if (row?.isConnected && row.dataset.passage) toggleMark(row.dataset.index, row.dataset.passage, mark);
}

function neighbour(by) {
  const at = reading ? (store.search?.result.hits || []).findIndex(hit => hit.document === reading.id) : -1;
  if (at >= 0) open(at + by);
}

const keys = {
  j: () => step(1), k: () => step(-1),
  Enter: () => { if (!reading && row?.isConnected) row.querySelector('.title').click(); },
  Escape: () => go('search'), '[': () => neighbour(-1), ']': () => neighbour(1),
  r: () => withSubject((index, id) => toggleMark(index, id, 'relevant')), n: () => withSubject((index, id) => toggleMark(index, id, 'not')),
  R: () => markPassage('relevant'), N: () => markPassage('not'), e: () => withSubject(editNote), u: undo,
  g: () => { go('search'); views.search.rankAgain(true); }, c: () => views.actions.chart(), s: () => views.actions.compare(reading ? [reading.id] : []),
  '/': () => { go('search'); setTimeout(() => views.search.focusClaim()); },
  1: () => go('search'), 2: () => go('chart'), 3: () => go('project'), '?': showKeys,
};

begin();
