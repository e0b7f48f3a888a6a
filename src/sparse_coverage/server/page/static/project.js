// The open project: loaded, saved change by change, and kept in step with other windows that have it open.
import { ApiError, call, get, idPath, post, put, stream } from './api.js';
import { byId } from './dom.js';
import { complain, notice, say } from './status.js';
import { LABELS, keyOf, markOf, ofClaim, rulingOf, store, tell } from './store.js';

const LAST = 'last project';
const EVERY = 4000; // milliseconds between looks at what other windows changed
const undone = [];

const path = (rest = '') => `/v1/projects/${store.project.id}${rest}`;
let last = Promise.resolve();
/** One change after the other, so that each is made on what the one before left. */
const inTurn = work => (last = last.then(work, work));
let beginning = null;
const show = text => { byId('saved').textContent = text; };

/** Opens the project that was open last, or the last changed one; none if there is none. */
export async function openLast() {
  const { projects, kept } = await get('/v1/projects');
  store.kept = kept;
  const wanted = localStorage.getItem(LAST);
  const whole = projects.filter(one => one.head);
  const found = whole.find(one => one.id === wanted) || whole[0];
  if (found) await openProject(found.id);
}

export async function openProject(id) {
  take(await get(`/v1/projects/${id}`), true);
  localStorage.setItem(LAST, id);
  store.search = store.chart = null;
  await workOn(store.searches.at(-1)?.claim ?? store.charts.at(-1)?.claim ?? 0, 'project', 'rulings', 'history', 'draft', 'search', 'chart');
}

/** Shows the last search and the last chart of a claim, unless one of it is shown already, and what was marked for it. */
export async function workOn(claim, ...changed) {
  if (store.claim !== claim) undone.length = 0; // what was marked for another claim is no longer in sight
  store.claim = claim;
  if (claim && !store.claims.has(claim)) await follow();
  const last = async (shown, all, kind) => {
    if (shown?.claim === claim) return shown;
    const made = ofClaim(all).at(-1);
    changed.push(kind);
    return made ? get(path(`/${kind === 'chart' ? 'charts' : 'searches'}/${made.number}`)) : null;
  };
  store.search = await last(store.search, store.searches, 'search');
  store.chart = await last(store.chart, store.charts, 'chart');
  tell('marks', ...new Set(changed));
}

/** Returns when there is a project: the open one, else a new one that is named after the day. */
async function needProject() {
  if (store.project) return;
  const day = new Date().toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
  beginning ||= begin(`Search of ${day}`).finally(() => { beginning = null; });
  await beginning;
}

export async function createProject(name) {
  store.search = store.chart = null;
  store.claim = 0;
  await begin(name);
  tell('marks', 'rulings', 'history', 'draft', 'search', 'chart');
}

/** Begins a project with what stands in the form. */
async function begin(name) {
  const made = await post('/v1/projects', { name });
  take(made, true);
  localStorage.setItem(LAST, made.head.id);
  tell('project', 'begun');
}

/** Forgets the open project, which was deleted. */
async function leaveProject() {
  localStorage.removeItem(LAST);
  Object.assign(store, { project: null, search: null, chart: null, claim: 0, searches: [], charts: [], draft: { content: {}, version: 0 } });
  for (const all of [store.claims, store.marks, store.rulings]) all.clear();
  await openLast();
  tell('project', 'marks', 'rulings', 'history', 'draft', 'search', 'chart');
}

export async function deleteProject() {
  await call('DELETE', path(), {});
  await leaveProject();
}

export const renameProject = (name, note) => inTurn(() => saving(async () => {
  store.project = await put(path(), { name, note, version: store.project.version });
  tell('project');
}, () => follow()));

/** Marks a document or passage. What another window did meanwhile is shown and not overwritten. */
export const setMark = (index, id, change, options) => inTurn(() => markNow(index, id, change, options));

async function markNow(index, id, change, { undo = true } = {}) {
  await needProject();
  const before = markOf(index, id);
  const wanted = { mark: before.mark, note: before.note, category: before.category ?? null, ...change };
  const { claim } = before;
  const key = keyOf(claim, index, id);
  keep(store.marks, key, { ...before, ...wanted });
  tell('marks');
  await saving(async () => {
    const made = await put(path(`/marks/${encodeURIComponent(index)}/${idPath(id)}`), { ...wanted, claim, version: before.version });
    keep(store.marks, key, made);
    if (undo) undone.push(() => setMark(index, id, { mark: before.mark, note: before.note, category: before.category ?? null }, { undo: false }));
    tell('marks');
    say(`${id}: ${wanted.mark !== before.mark ? (wanted.mark ? `marked ${LABELS.marks[wanted.mark]}` : 'no mark') : 'category' in change ? `category ${wanted.category || 'taken away'}` : 'note saved'}`);
  }, current => {
    keep(store.marks, key, current || before);
    tell('marks');
    if (current) {
      const told = [LABELS.marks[current.mark] || 'no mark', current.note && `“${current.note}”`].filter(Boolean).join(', ');
      notice('stale', `${id} was changed in another window meanwhile: ${told}. Yours was not saved.`,
        { 'Keep that': null, 'Use mine': () => setMark(index, id, change) });
    }
  });
}

/** Overrules a cell of a chart. `wrong` hears an error first, and returns true where it tells the user itself. */
export const setRuling = (index, element, document, change, wrong) => inTurn(() => ruleNow(index, element, document, change, wrong));

async function ruleNow(index, element, document, change, wrong) {
  await needProject();
  const before = rulingOf(index, element, document);
  const key = keyOf(before.claim, index, element, document);
  await saving(async () => {
    const made = await put(path('/cells'), { index, element, document, verdict: before.verdict, note: before.note, quotation: before.quote?.text || '', ...change, claim: before.claim, version: before.version });
    keep(store.rulings, key, made);
    undone.push(() => setRuling(index, element, document, { verdict: before.verdict, note: before.note, quotation: before.quote?.text || '' }));
    tell('rulings');
    say('Saved.');
  }, (current, error) => {
    if (!current) return wrong?.(error);
    keep(store.rulings, key, current);
    tell('rulings');
    notice('stale', `This cell was changed in another window meanwhile: ${current.verdict || 'as found'}${current.note ? `, “${current.note}”` : ''}. Yours was not saved.`,
      { 'Keep that': null, 'Use mine': () => setRuling(index, element, document, change) });
    return true;
  });
}

/** Takes the last mark or overruled cell back. */
export async function undo() {
  const work = undone.pop();
  if (!work) say('There is nothing to undo in this window.');
  else await work();
}

/** Keeps what stands in the form. */
export const keepDraft = content => inTurn(() => keepNow(content));

async function keepNow(content) {
  if (!store.project || JSON.stringify(content) === JSON.stringify(store.draft.content)) return;
  await saving(async () => {
    store.draft = await put(path('/draft'), { content, version: store.draft.version });
    store.dirty = false;
  }, current => {
    if (!current) return;
    store.draft = current;
    notice('draft', 'The claim was changed in another window.',
      { 'Take that one': () => tell('draft'), 'Keep mine': () => keepDraft(content) });
  });
}

/** Lets the server search and add it to the history, and shows it. */
export async function addSearch(index, asked, signal) {
  await needProject();
  return added(await post(path('/searches'), { index, ...asked }, { signal }));
}

/** Searches again over what came into the index since a search was made. */
export async function searchNew(number) {
  return added(await post(path(`/searches/${number}/new`), {}));
}

async function added(made) {
  show(store.kept ? 'Saved' : '');
  store.search = made;
  for (const hit of made.view.hits) store.titles.set(keyOf(made.index, hit.document), hit.title);
  store.searches.push({ ...made, result: {}, view: null });
  await workOn(made.claim, 'search', 'history');
  return made;
}

/** Lets the server make a chart (`what`: chart or combine) and keep it, and shows it. */
export async function addChart(index, what, request, onProgress, signal) {
  await needProject();
  const made = await stream(path('/charts'), { index, [what]: request }, onProgress, signal);
  show(store.kept ? 'Saved' : '');
  store.chart = made;
  store.charts.push({ ...made, chart: {}, combinations: null });
  await workOn(made.claim, 'chart', 'history');
}

export async function showSearch(number) {
  store.search = await get(path(`/searches/${number}`));
  await workOn(store.search.claim, 'search');
}

export async function showChart(number) {
  store.chart = await get(path(`/charts/${number}`));
  await workOn(store.chart.claim, 'chart');
}

/** Looks for what other windows changed, while this one can be seen. */
export function keepInStep() {
  setInterval(() => { if (store.project && document.visibilityState === 'visible') follow(); }, EVERY);
}

async function follow() {
  try {
    const changed = await get(path(`?since=${store.project.revision}`));
    if (changed.head.id === store.project?.id && changed.head.revision > store.project.revision) take(changed, false);
  } catch (error) {
    if (error.status === 404) { notice('gone', 'This project was deleted in another window.'); await leaveProject(); }
  }
}

function take(content, whole) {
  if (whole) {
    for (const all of [store.claims, store.marks, store.rulings]) all.clear();
    store.searches = [];
    store.charts = [];
  }
  // What is typed here is not overwritten: keeping it will be refused, and the user asked which one counts.
  const draft = whole || (content.draft.version > store.draft.version && !store.dirty);
  store.project = content.head;
  if (draft) store.draft = content.draft;
  for (const one of content.documents) store.titles.set(keyOf(one.index, one.id), one.title);
  for (const one of content.claims) keep(store.claims, one.number, one);
  for (const mark of content.marks) keep(store.marks, keyOf(mark.claim, mark.index, mark.id), mark);
  for (const one of content.rulings) keep(store.rulings, keyOf(one.claim, one.index, one.element, one.document), one);
  const add = (list, made) => { for (const one of made) if (!list.some(other => other.number === one.number)) list.push(one); };
  add(store.searches, content.searches.map(one => ({ ...one, history: content.history[one.number] })));
  add(store.charts, content.charts);
  if (!whole) tell('project', 'marks', 'history', ...(content.rulings.length ? ['rulings'] : []), ...(draft ? ['draft'] : []));
}

/** Puts a newer state in the place of an older one; answers may overtake each other. */
function keep(map, key, value) {
  const known = map.get(key);
  if (!known || value.version >= known.version) map.set(key, value);
}

/** Does a change and says whether it was saved; `refused` hears what is there now, or nothing where it failed otherwise, and returns
 * true where it tells the user itself. */
async function saving(work, refused) {
  show('Saving…');
  try {
    const made = await work();
    show(store.kept ? 'Saved' : '');
    return made;
  } catch (error) {
    show('Not saved');
    const told = refused?.(error instanceof ApiError && error.status === 409 ? error.current : null, error);
    if (error.status !== 409 && told !== true) complain(error);
    return null;
  }
}
