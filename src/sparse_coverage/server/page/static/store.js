// What the page knows: the indexes, the open project, the search and the chart that are shown. Views listen for changes.
/** Words for people, by name: {rankings, exports, verdicts, own, facets, faint}. The server has them in its registries. */
export const LABELS = JSON.parse(document.body.dataset.labels);

export const store = {
  indexes: [],
  index: '',          // the name of the chosen one
  kept: true,         // whether projects outlive the server
  project: null,      // its head: id, name, note, version, revision
  claim: 0,           // the number of the claim that is worked on
  claims: new Map(),  // those of the project, by number: {number, text}
  marks: new Map(),   // by claim, index and id
  titles: new Map(),  // of documents that were marked or found, by index and id
  rulings: new Map(), // by claim, index, element and document
  searches: [],       // the history, without results
  charts: [],         // the charts made, without content
  draft: { content: {}, version: 0 },
  dirty: false,       // whether the form holds what is not kept yet
  search: null,       // the one shown: {number, index, request, result}
  chart: null,        // the one shown: {number, index, request, chart, combinations, view}
};

const listeners = new Map();

/** Calls a function whenever something of a kind changed: 'project', 'marks', 'rulings', 'search', 'chart', 'history', 'draft', 'index'. */
export function on(kind, work) {
  if (!listeners.has(kind)) listeners.set(kind, new Set());
  listeners.get(kind).add(work);
  return () => listeners.get(kind).delete(work);
}

/** Tells that something of a kind changed. */
export function tell(...kinds) {
  for (const kind of kinds) for (const work of [...(listeners.get(kind) || [])]) work();
}

export const keyOf = (...parts) => parts.join('\u0000');
export const markOf = (index, id) => store.marks.get(keyOf(store.claim, index, id)) || { claim: store.claim, index, id, mark: null, note: '', category: null, version: 0 };
export const titleOf = (index, id) => store.titles.get(keyOf(index, id)) || '';
export const rulingOf = (index, element, document) =>
  store.rulings.get(keyOf(store.claim, index, element, document)) || { claim: store.claim, index, element, document, verdict: null, note: '', quote: null, version: 0 };
/** What belongs to the claim that is worked on, of a list or map of marks, searches or charts. */
export const ofClaim = all => [...all.values()].filter(one => one.claim === store.claim);

/** The marks of an index for the claim that is worked on, as a search takes them; null where there are none. */
export function marksFor(index) {
  const ids = mark => ofClaim(store.marks).filter(one => one.index === index && one.mark === mark).map(one => one.id).sort();
  const found = { relevant: ids('relevant'), not_relevant: ids('not') };
  return found.relevant.length || found.not_relevant.length ? found : null;
}

/** The documents of an index that are marked relevant, themselves or a passage of theirs. */
export const relevantDocuments = index => [...new Set((marksFor(index)?.relevant || []).map(id => markOf(index, id).document || id))];
