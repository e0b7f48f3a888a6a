// The form: a claim typed, pasted, dropped as a file or named by its publication number; its features; filters; the ranking.
import { ofIndex, post, upload } from './api.js';
import { button, field, fill, h, quietly } from './dom.js';
import { filterFields, standAlone } from './filters.js';
import { featureClass } from './marked.js';
import { keepDraft, setMark } from './project.js';
import { complain, say } from './status.js';
import { LABELS, on, store } from './store.js';

const TYPES = '.txt,.md,.docx,.pdf,.xml,.json,.jsonl,.html,.htm';
const NOTHING = { claims: [], elements: [], warnings: [], wrong: '', ids: [], unknown: [], charted: '' };

/** Makes the form. `search` is called with what to ask for. */
export function claimForm(search, actions) {
  return new ClaimForm(search, actions);
}

class ClaimForm {
  constructor(search, actions) {
    this.search = search;
    this.actions = actions;
    this.split = NOTHING;
    this.own = null; // a user's own lines
    this.weights = {}; // how often features count, by their text, where that is not once
    this.from = null; // the patent that the text was taken from, with the filters that come with it
    this.listed = null; // a list of numbers: {ids, unknown, among}
    this.keep = quietly(() => keepDraft(this.values()), 700);
    this.prepareSoon = quietly(() => this.prepare(), 400);
    this.build();
    this.restore();
    on('draft', () => this.restore());
    on('begun', () => this.keep());
    on('index', () => this.showRankings());
  }

  build() {
    this.text = h('textarea', {
      rows: 8, spellcheck: false, placeholder: 'Paste a claim, or type a publication number such as EP 0049154 A1, or several',
      oninput: () => { this.own = null; this.edited(); this.changed(); this.prepareSoon(); },
    });
    this.text.id = 'claim';
    this.source = h('div', { class: 'source' });
    this.file = h('input', { type: 'file', accept: TYPES, class: 'hidden-file', 'aria-label': 'Claim from a file', onchange: () => this.readFile(this.file.files[0]), tabindex: '-1' });
    this.claims = h('input', { type: 'text', placeholder: 'all or 1,3-5', autocomplete: 'off', oninput: () => { this.changed(); this.prepareSoon(); } });
    this.claimsField = field('Claims', this.claims);
    this.elements = h('div', { class: 'elements' });
    this.filters = filterFields(() => this.changed());
    this.summary = h('span', { class: 'dim' });
    this.ranking = h('select', { onchange: () => this.changed() });
    this.rerank = h('select', { onchange: () => this.changed() });
    this.rerankField = field('Then by', this.rerank);
    this.count = h('select', { onchange: () => this.changed() }, [10, 20, 50, 100].map(one => h('option', {}, one)));
    this.count.value = '20';
    this.node = h('form', { class: 'claim-form', 'aria-label': 'What to search for', onsubmit: event => { event.preventDefault(); this.submit(); } },
      h('div', { class: 'field drop' },
        h('div', { class: 'row' }, h('label', { for: 'claim' }, 'Claim'), h('span', { class: 'grow' }), this.file,
          button('From a file', () => this.file.click(), { class: 'quiet' })),
        this.text, this.source),
      h('div', { class: 'row bottom' }, this.claimsField, field('Ranking', this.ranking), this.rerankField, field('Show', this.count)),
      h('details', { class: 'fold', open: true }, h('summary', {}, 'Features'), this.elements),
      h('details', { class: 'fold' }, h('summary', {}, 'Filters ', this.summary), this.filters.node),
      h('button', { class: 'primary', title: 'Ctrl+Enter' }, 'Search'));
    this.text.addEventListener('keydown', event => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); this.submit(); } });
    this.droppable();
    this.showRankings();
  }

  droppable() {
    for (const kind of ['dragover', 'dragleave', 'drop']) {
      this.node.addEventListener(kind, event => {
        event.preventDefault();
        this.node.classList.toggle('over', kind === 'dragover');
        if (kind === 'drop' && event.dataTransfer.files.length) this.readFile(event.dataTransfer.files[0]);
      });
    }
  }

  showRankings() {
    const { rankings = ['combined'], rerankers = [] } = store.indexes.find(one => one.name === store.index) || {};
    const offer = (select, names) => {
      const chosen = select.value;
      fill(select, names.map(name => h('option', { value: name }, LABELS.rankings[name] || name || 'nothing')));
      if (names.includes(chosen)) select.value = chosen;
    };
    offer(this.ranking, rankings);
    offer(this.rerank, ['', ...rerankers]);
    this.rerankField.hidden = !rerankers.length;
  }

  values() {
    return { text: this.text.value, from: this.from, listed: this.listed, claims: this.claims.value, own: this.own, weights: this.weights, ranking: this.ranking.value, rerank: this.rerank.value, count: this.count.value, filters: this.filters.values() };
  }

  restore() {
    const kept = store.draft.content || {};
    this.text.value = kept.text || '';
    this.from = kept.from || null;
    this.listed = kept.listed || null;
    this.claims.value = kept.claims || '';
    this.own = kept.own || null;
    this.weights = kept.weights || {};
    this.filters.set(kept.filters);
    if (kept.count) this.count.value = kept.count;
    for (const name of ['ranking', 'rerank']) if ([...this[name].options].some(one => one.value === kept[name])) this[name].value = kept[name];
    this.showSource();
    this.prepare();
  }

  changed() {
    store.dirty = true;
    this.showSource();
    this.keep();
  }

  /** What came with a patent goes when another text stands in its place; a word changed here and there is still that patent. */
  edited() {
    this.unknown = null;
    if (!this.from) return;
    const [now, then] = [this.text.value, this.from.text];
    let begin = 0;
    while (begin < now.length && begin < then.length && now[begin] === then[begin]) begin++;
    let end = 0;
    while (end < Math.min(now.length, then.length) - begin && now.at(-1 - end) === then.at(-1 - end)) end++;
    if (begin + end < then.length / 2) { this.from = null; this.claims.value = ''; }
  }

  /** Clears the filters, those that came with a patent and a list too. */
  clearFilters() {
    this.filters.set({});
    this.listed = null;
    if (this.from) this.from.use = { before: false, family: false };
    this.changed();
  }

  /** Says where the text comes from, which filters came with it, and what to beware of. */
  showSource() {
    const { from, listed } = this;
    const use = (name, text) => h('label', { class: 'check' }, h('input', { type: 'checkbox', checked: from.use[name], onchange: event => { from.use[name] = event.target.checked; this.changed(); } }), ' ', text);
    fill(this.source,
      from ? [h('small', {}, from.source), from.publication || from.before ? h('div', { class: 'automatic', role: 'group', 'aria-label': 'Filters that come with it' },
        from.before ? use('before', `before ${from.before}, its ${from.date}`) : null,
        from.publication ? use('family', `exclude the family of ${from.publication}`) : null) : null,
      from.warnings.map(one => h('p', { class: 'warning small', role: 'note' }, one))] : null,
      this.unknown ? h('p', { class: 'warning small', role: 'note' }, this.unknown) : null,
      listed ? this.selection(listed) : null);
    this.summary.textContent = this.filters.text() || 'none';
  }

  /** A list of numbers: search among them, chart them, mark them. */
  selection(listed) {
    const among = h('input', { type: 'checkbox', checked: listed.among, onchange: () => { listed.among = among.checked; this.changed(); } });
    return h('div', { class: 'automatic selection', role: 'group', 'aria-label': 'Numbers' },
      h('label', { class: 'check' }, among, ` search among these ${listed.ids.length} documents`),
      listed.unknown.length ? h('p', { class: 'warning small', role: 'note' }, `Not in the index: ${listed.unknown.join(', ')}.`) : null,
      h('p', { class: 'row wrap' }, button('Chart them', async () => { const claim = await this.claim(); if (claim) this.actions.chartThese(listed.ids, claim); }, { class: 'quiet' }),
        button('Mark them relevant', () => this.markAll(listed.ids), { class: 'quiet' }),
        button('Forget the list', () => { this.listed = null; this.changed(); }, { class: 'quiet' })));
  }

  async markAll(ids) {
    for (const id of ids) await setMark(store.index, id, { mark: 'relevant' });
    say(`${ids.length} marked relevant.`);
  }

  /** Lets the server read what is typed, as one types. */
  async prepare() {
    const text = this.text.value;
    try {
      this.split = text.trim() && store.index ? await this.read() : NOTHING;
    } catch { this.split = NOTHING; }
    // An answer that comes late takes no split away that is being made for the same text.
    if (text === this.text.value && text !== this.editing) this.showElements();
  }

  read(form = null) {
    return post(ofIndex(store.index, '/prepare'), { text: this.text.value, claims: this.claims.value.trim() || null, elements: this.own, form });
  }

  /** The fields of the filters, with what came with a patent and with a list. */
  form() {
    const { from, listed } = this;
    const patent = from ? { publication: from.publication, before: from.before, date: from.date, use_before: from.use.before, use_family: from.use.family } : null;
    return { ...this.filters.values(), only: listed?.among ? listed.ids : [], patent };
  }

  showElements() {
    this.editing = null;
    const { elements, wrong, claims, publication, ids, warnings } = this.split;
    const many = !publication && claims.length > 1;
    this.claimsField.hidden = !many && !this.claims.value;
    if (publication || ids.length || !claims.length) {
      fill(this.elements, h('p', { class: 'dim small' }, publication ? `${publication}, ${this.split.title}: press Search.` : ids.length ? `${ids.length} documents by number: press Search to use them.` : 'The features of the claim appear here, to be split and joined as you like.'));
      return;
    }
    fill(this.elements,
      wrong ? h('p', { class: 'wrong', role: 'alert' }, wrong) : null,
      this.from ? null : warnings.map(one => h('p', { class: 'warning small', role: 'note' }, one)),
      h('ol', {}, elements.map((one, number) => this.feature(one, number))),
      h('p', { class: 'row' }, button('Split or join', () => this.editElements(), { class: 'quiet' }),
        this.own !== null ? button('As found', () => { this.own = null; this.changed(); this.prepare(); }, { class: 'quiet' }) : null));
  }

  /** A feature, and how often it counts in the search. */
  feature({ label, text }, number) {
    const weight = h('select', { class: 'weight', 'aria-label': `${label} in the search`, onchange: () => {
      delete this.weights[text];
      if (weight.value !== '1') this.weights[text] = Number(weight.value);
      row.dataset.weight = weight.value;
      this.changed();
    } }, [['1', 'counts'], ['2', 'counts twice'], ['0', 'left out']].map(([value, told]) => h('option', { value }, told)));
    weight.value = String(this.weights[text] ?? 1);
    const row = h('li', { 'data-weight': weight.value }, h('b', { class: `chip ${featureClass(number)}` }, label), ' ', h('span', { class: 'feature-text' }, text), ' ', weight);
    return row;
  }

  editElements() {
    this.editing = this.text.value;
    const { elements } = this.split;
    const area = h('textarea', { rows: Math.min(14, elements.length + 3), spellcheck: false });
    area.value = this.own ?? elements.map(one => one.text).join('\n');
    const done = async () => { this.own = area.value; this.editing = null; this.changed(); await this.prepare(); this.elements.querySelector('button')?.focus(); };
    area.addEventListener('keydown', event => { if (event.key === 'Escape') { event.stopPropagation(); this.showElements(); } });
    fill(this.elements, field('One feature a line, in the words of the claim', area, 'Enter splits a line, Backspace joins two.'),
      h('p', { class: 'row' }, button('Use these', done), button('Cancel', () => this.showElements(), { class: 'quiet' })));
    area.focus();
  }

  async readFile(file) {
    if (!file) return;
    say(`Reading ${file.name}…`);
    try {
      const found = await upload('/v1/query-file', file);
      this.take(found);
      await this.prepare();
      say(`Read: ${found.source || file.name}.`);
    } catch (error) { complain(error); }
    this.file.value = '';
  }

  /** Puts what the server made ready into the form: the filters of another patent go, those of this one come. */
  take(found) {
    this.text.value = found.text;
    this.own = this.unknown = null;
    this.claims.value = '';
    const { text, source, publication, before, date, warnings } = found;
    this.from = { text, source, publication, before, date, warnings, use: { before: Boolean(before), family: Boolean(publication) } };
    this.changed();
  }

  async submit() {
    if (!this.text.value.trim() && !standAlone(this.filters.values())) {
      say('Type or paste a claim, or an expression, first.');
      this.text.focus();
      return;
    }
    const found = await this.ready();
    if (found) await this.search(found);
  }

  /** What is asked for, once the server has read all of the form; nothing where something has to be mended first. */
  async ready() {
    try {
      this.split = await this.read(this.form());
    } catch (error) {
      this.actions.stale(error, () => this.submit());
      return null;
    }
    const found = this.split;
    if (found.ids.length || found.unknown.length) { this.takeNumbers(found); return null; }
    if (found.publication) this.take(found);
    this.showElements();
    this.keep.flush();
    if (found.wrong) { this.elements.querySelector('button')?.focus(); return null; }
    return this.asked(found);
  }

  /** A list of numbers becomes a selection; a number that the index does not hold is said so. */
  takeNumbers({ ids, unknown, warnings }) {
    this.actions.stale();
    if (ids.length) {
      this.listed = { ids, unknown, among: true };
      this.text.value = '';
      this.from = null;
      this.unknown = null;
      say(`${ids.length} documents chosen. Now type or paste a claim, or chart them.`);
    } else this.unknown = warnings.join(' ') || `The index ${store.index} holds none of these.`;
    this.changed();
    this.prepare();
    this.text.focus();
  }

  /** What the server is asked to search for, and to keep with it. */
  asked({ claims, elements, charted, filters, automatic }) {
    return {
      search: {
        query: this.text.value.trim() ? this.text.value : null, claims: claims.length > 1 ? this.claims.value.trim() || 'all' : null, source: this.from?.source || '',
        elements: elements.map(({ label, text }) => ({ label, text, weight: this.weights[text] ?? 1 })), k: Number(this.count.value), passages: 3, group: true, ranking: this.ranking.value, rerank: this.rerank.value || null, filters, facets: true,
      },
      claim: charted || null, automatic,
    };
  }

  /** The claim that stands in the form, to be charted against chosen documents; nothing where there is none. */
  async claim() {
    const asked = this.text.value.trim() ? await this.ready() : null;
    if (!asked) { say('Type or paste the claim first.'); this.text.focus(); return null; }
    return { index: store.index, request: { ...asked.search, ...asked } };
  }
}
