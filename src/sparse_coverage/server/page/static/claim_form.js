// The form: a claim typed, pasted, dropped as a file or named by its publication number; its elements; filters; the system.
import { get, idPath, ofIndex, post, upload } from './api.js';
import { button, field, fill, h, quietly } from './dom.js';
import { claimNumbers, readLines } from './elements.js';
import { filterFields, filtersOf, filtersText } from './filters.js';
import { keepDraft } from './project.js';
import { complain, say } from './status.js';
import { on, store } from './store.js';

const NUMBER = /^[A-Za-z]{2}[\s-]?[A-Za-z]{0,2}[-\s]?\d[\d\s.,/'-]{3,}(?:[-\s(]*[A-Za-z]\d?\)?)?$/;
const SYSTEMS = { coverage: 'Sparse Coverage (default)', hybrid: 'Hybrid: best ranking', bm25: 'BM25', dense: 'Dense vectors', splade: 'SPLADE', colbert: 'ColBERT' };
const TYPES = '.txt,.md,.docx,.pdf,.xml,.json,.jsonl,.html,.htm';

/** Makes the form. `search` is called with what to ask for. */
export function claimForm(search) {
  const form = new ClaimForm(search);
  return form;
}

class ClaimForm {
  constructor(search) {
    this.search = search;
    this.split = { claims: [], elements: [] };
    this.own = null; // a user's own lines
    this.keep = quietly(() => keepDraft(this.values()), 700);
    this.splitSoon = quietly(() => this.splitClaim(), 400);
    this.build();
    this.restore();
    on('draft', () => this.restore());
    on('begun', () => this.keep());
    on('index', () => this.showSystems());
  }

  build() {
    this.text = h('textarea', {
      rows: 8, spellcheck: false, placeholder: 'Paste a claim, or type a publication number such as EP 0049154 A1',
      oninput: () => { this.own = null; this.source.textContent = ''; this.changed(); this.splitSoon(); },
    });
    this.text.id = 'claim';
    this.source = h('small', { class: 'source' });
    this.file = h('input', { type: 'file', accept: TYPES, class: 'hidden-file', 'aria-label': 'Claim from a file', onchange: () => this.readFile(this.file.files[0]), tabindex: '-1' });
    this.claims = h('input', { type: 'text', placeholder: 'all or 1,3-5', autocomplete: 'off', oninput: () => { this.changed(); this.showElements(); } });
    this.claimsField = field('Claims', this.claims);
    this.elements = h('div', { class: 'elements' });
    this.filters = filterFields(() => this.changed());
    this.summary = h('span', { class: 'dim' });
    this.system = h('select', { onchange: () => this.changed() });
    this.count = h('select', { onchange: () => this.changed() }, [10, 20, 50, 100].map(one => h('option', {}, one)));
    this.count.value = '20';
    this.node = h('form', { class: 'claim-form', 'aria-label': 'What to search for', onsubmit: event => { event.preventDefault(); this.submit(); } },
      h('div', { class: 'field drop' },
        h('div', { class: 'row' }, h('label', { for: 'claim' }, 'Claim'), h('span', { class: 'grow' }), this.file,
          button('From a file', () => this.file.click(), { class: 'quiet' })),
        this.text, this.source),
      h('div', { class: 'row bottom' }, this.claimsField, field('System', this.system), field('Show', this.count)),
      h('details', { class: 'fold', open: true }, h('summary', {}, 'Elements'), this.elements),
      h('details', { class: 'fold' }, h('summary', {}, 'Filters ', this.summary), this.filters.node),
      h('button', { class: 'primary', title: 'Ctrl+Enter' }, 'Search'));
    this.text.addEventListener('keydown', event => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); this.submit(); } });
    this.droppable();
    this.showSystems();
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

  showSystems() {
    const systems = store.indexes.find(one => one.name === store.index)?.systems || ['coverage'];
    const chosen = this.system.value;
    fill(this.system, systems.map(name => h('option', { value: name }, SYSTEMS[name] || name)));
    if (systems.includes(chosen)) this.system.value = chosen;
  }

  values() {
    return { text: this.text.value, source: this.source.textContent, claims: this.claims.value, own: this.own, system: this.system.value, count: this.count.value, filters: this.filters.values() };
  }

  restore() {
    const kept = store.draft.content || {};
    this.text.value = kept.text || '';
    this.source.textContent = kept.source || '';
    this.claims.value = kept.claims || '';
    this.own = kept.own || null;
    this.filters.set(kept.filters);
    if (kept.count) this.count.value = kept.count;
    if ([...this.system.options].some(one => one.value === kept.system)) this.system.value = kept.system;
    this.showFilters();
    this.splitClaim();
  }

  changed() {
    store.dirty = true;
    this.showFilters();
    this.keep();
  }

  showFilters() { this.summary.textContent = filtersText(filtersOf(this.filters.values())) || 'none'; }

  async splitClaim() {
    const text = this.text.value;
    if (!text.trim() || NUMBER.test(text.trim())) this.split = { claims: [], elements: [] };
    else {
      try {
        this.split = await post('/v1/elements', { claim: text });
      } catch { this.split = { claims: [], elements: [] }; }
    }
    if (text === this.text.value) this.showElements();
  }

  /** The elements that count: a user's own, of the claims that are chosen. */
  chosen() {
    const numbers = claimNumbers(this.claims.value);
    const read = this.own !== null ? readLines(this.own, this.split.claims) : { elements: this.split.elements };
    return { ...read, elements: (read.elements || this.split.elements).filter(one => !numbers || numbers.has(one.claim)) };
  }

  /** The claim to be charted: the one that was chosen alone, else the whole text. */
  charted() {
    const numbers = claimNumbers(this.claims.value);
    const chosen = this.split.claims.filter(one => numbers?.has(one.number));
    return chosen.length === 1 ? `${chosen[0].number}. ${chosen[0].text}` : this.text.value;
  }

  showElements() {
    const { elements, wrong, line } = this.chosen();
    this.claimsField.hidden = this.split.claims.length < 2 && !this.claims.value;
    if (!this.split.claims.length) {
      fill(this.elements, h('p', { class: 'dim small' }, 'The elements of the claim appear here, to be split and joined as you like.'));
      return;
    }
    fill(this.elements,
      wrong ? h('p', { class: 'wrong', role: 'alert' }, `Line ${wrong} is not in the words of the claim: “${line.slice(0, 60)}”.`) : null,
      h('ol', {}, elements.map(one => h('li', {}, h('b', {}, one.label), ' ', one.text))),
      h('p', { class: 'row' }, button('Split or join', () => this.editElements(), { class: 'quiet' }),
        this.own !== null ? button('As found', () => { this.own = null; this.changed(); this.showElements(); }, { class: 'quiet' }) : null));
  }

  editElements() {
    const { elements } = this.chosen();
    const area = h('textarea', { rows: Math.min(14, elements.length + 3), spellcheck: false });
    area.value = this.own ?? this.split.elements.map(one => one.text).join('\n');
    const done = () => { this.own = area.value; this.changed(); this.showElements(); this.elements.querySelector('button')?.focus(); };
    area.addEventListener('keydown', event => { if (event.key === 'Escape') { event.stopPropagation(); this.showElements(); } });
    fill(this.elements, field('One element a line, in the words of the claim', area, 'Enter splits a line, Backspace joins two.'),
      h('p', { class: 'row' }, button('Use these', done), button('Cancel', () => this.showElements(), { class: 'quiet' })));
    area.focus();
  }

  async readFile(file) {
    if (!file) return;
    say(`Reading ${file.name}…`);
    try {
      const found = await upload('/v1/query-file', file);
      const lines = found.text.split('\n'); // a claim a line, where the file has claims
      const numbered = found.claims.length > 1 && lines.length === found.claims.length;
      this.claims.value = numbered ? String(found.claims[0]) : '';
      const text = numbered ? lines.map((line, place) => `${found.claims[place]}. ${line}`).join('\n') : found.text;
      await this.take(text, found.source || file.name, found.priority_date, found.publication);
      say(`Read: ${found.source || file.name}.`);
    } catch (error) { complain(error); }
    this.file.value = '';
  }

  /** Puts a text into the form, with what is known of where it comes from. */
  take(text, source, priority, publication) {
    this.text.value = text;
    this.own = null;
    this.source.textContent = source;
    if (priority) this.filters.before(priority, `the priority date of ${publication || source}`);
    if (publication) this.filters.leaveOut(publication);
    this.changed();
    return this.splitClaim();
  }

  /** Puts a document of the index into the form: its claims, before its priority date, without its family. */
  async takeDocument(id) {
    const found = await get(ofIndex(store.index, `/documents/${idPath(id)}`));
    const claims = found.passages.filter(one => one.section === 'claims');
    const parts = claims.length ? claims : found.passages.slice(0, 3);
    const text = parts.map((one, place) => (claims.length > 1 ? `${one.number || place + 1}. ${one.text}` : one.text)).join('\n');
    this.claims.value = claims.length > 1 ? '1' : '';
    await this.take(text, `${claims.length ? 'claims' : 'text'} of ${found.document}, ${found.title}`, found.metadata.priority_date, found.document);
  }

  async submit() {
    const typed = this.text.value.trim();
    if (!typed) { say('Type or paste a claim first.'); this.text.focus(); return; }
    if (NUMBER.test(typed)) {
      try {
        const { ids, near } = await get(ofIndex(store.index, `/find/${idPath(typed)}`));
        if (!ids.length) { say(`The index ${store.index} does not hold ${typed} ${near}`); this.source.textContent = `The index does not hold ${typed} ${near}`; return; }
        await this.takeDocument(ids[0]);
      } catch (error) { complain(error); return; }
    }
    this.keep.flush();
    await this.splitClaim();
    if (this.chosen().wrong) { this.elements.querySelector('button')?.focus(); return; }
    await this.search(this.asked());
  }

  /** What the server is asked. */
  asked() {
    return {
      query: this.text.value, claims: this.split.claims.length > 1 && this.claims.value.trim() ? this.claims.value.trim() : null,
      k: Number(this.count.value), passages: 3, group: true, system: this.system.value, filters: filtersOf(this.filters.values()), facets: true,
    };
  }
}
