// The search: the form at the left, what was found at the right.
import { claimForm } from './claim_form.js';
import { button, fill, h } from './dom.js';
import { facetList } from './facets.js';
import { addSearch } from './project.js';
import { resultList, takesMarks } from './results.js';
import { failed, progress, say, state } from './status.js';
import { marksFor, on, store, tell } from './store.js';

/** Makes the view once; it stays while others are shown, so that nothing typed is lost. */
export function searchView(actions) {
  const found = h('section', { class: 'found', 'aria-label': 'What was found' });
  const facets = h('div', { class: 'facets' });
  const form = claimForm(asked => run(asked), { ...actions, stale });
  let running = null;
  const side = h('details', { class: 'side', open: true }, h('summary', {}, 'Claim and filters'), form.node, facets);
  const node = h('div', { class: 'search' }, h('h1', { class: 'unseen' }, 'Search'), side, found);
  const narrow = matchMedia('(max-width: 60rem)');

  async function run(asked, ranking = 'first') {
    running?.abort();
    running = new AbortController();
    const { signal } = running;
    const index = store.index;
    const marks = ranking === 'marks' ? marksFor(index) : null;
    const documents = store.indexes.find(one => one.name === index)?.documents;
    const slow = setTimeout(() => progress(found, `Searching ${documents?.toLocaleString('en')} documents`, () => running.abort()), 400);
    try {
      const previous = marks && store.search?.number ? store.search.number : null;
      const made = await addSearch(index, { ...asked, search: { ...asked.search, marks }, previous }, signal);
      if (narrow.matches) side.open = false;
      say(`${made.view.told}.`);
      found.querySelector('.title')?.focus({ preventScroll: true });
      reveal();
    } catch (error) {
      if (error.name === 'AbortError') show();
      else stale(error, () => run(asked, ranking));
    } finally { clearTimeout(slow); }
  }

  /** Takes away what was found for something else than what is asked now, with the error that came in its place. */
  function stale(error = null, again = null) {
    store.search = null;
    tell('search');
    say('');
    if (error) { fill(found, failed(error, again)); reveal(); }
  }

  /** Brings what was found into sight, however far down one was. */
  function reveal() {
    if (narrow.matches) found.scrollIntoView({ block: 'start' });
    else scrollTo(0, 0);
  }

  /** Ranks again by the marks, or without them. */
  function rankAgain(withMarks = true) {
    if (!store.search) return undefined;
    const { before, marks, claim, automatic, used, ...search } = store.search.request;
    // Marks are centers added and taken away, so a ranking without centers cannot use them, and nothing else ranks again.
    const by = withMarks ? { ranking: takesMarks(form.ranking.value) ? form.ranking.value : 'combined', rerank: null } : { ranking: form.ranking.value, rerank: form.rerank.value || null };
    return run({ search: { ...search, ...by }, claim, automatic }, withMarks ? 'marks' : 'first');
  }

  function show() {
    const shown = store.search;
    if (!shown) {
      fill(found, welcome());
      fill(facets);
      return;
    }
    fill(found, shown.view.hits.length ? resultList(shown, { ...actions, rankAgain }) : nothing(shown, form));
    fill(facets, facetList(shown.result.facets, form.filters, () => { form.changed(); form.submit(); }));
  }

  on('search', show);
  show();
  return { node, form, rankAgain, run: () => form.submit(), focusClaim() { side.open = true; form.text.focus(); } };
}

const welcome = () => state('Find prior art for a claim',
  'Paste a claim, drop a file on the form, or type the number of a publication that the index holds. Everything stays on the machine of this server.',
  h('span', { class: 'dim' }, 'Keys: / claim · Ctrl+Enter search · j and k through the results · r relevant · n not relevant · ? all keys'));

function nothing(shown, form) {
  const told = shown.view.notes.join(' ') || 'Nothing in the index shares a word or a concept with this text.';
  return state('Nothing was found', told, button('Clear the filters', () => { form.clearFilters(); form.submit(); }));
}
