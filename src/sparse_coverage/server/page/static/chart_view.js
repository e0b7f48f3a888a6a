// Claim charts and combinations: elements down, documents across; each cell opens its quotations and can be overruled.
import { ask } from './dialog.js';
import { button, field, fill, h } from './dom.js';
import { featureClass, pieceNodes } from './marked.js';
import { addChart, setMark, setRuling, showChart } from './project.js';
import { whenMade } from './results.js';
import { complain, failed, progress, say, state } from './status.js';
import { LABELS, markOf, ofClaim, on, relevantDocuments, rulingOf, store } from './store.js';

const MOST = 50; // documents of a chart
/** What a chart was made with, in words. */
export const chartedWith = asked => (asked.max ? `combinations of at most ${asked.max}` : counted(asked.documents?.length || asked.k || 0, 'document'));

/** Makes the view once. */
export function chartView() {
  const body = h('div', { class: 'chart-body' });
  const which = h('select', {});
  const most = h('select', {}, [2, 3, 4].map(one => h('option', { value: one }, `${one} documents`)));
  const head = h('div', { class: 'row bottom chart-form' }, field('Documents', which), button('Chart', () => make()),
    field('At most', most), button('Combine documents', () => combine()));
  const node = h('div', { class: 'chart' }, h('h1', { class: 'unseen' }, 'Claim chart'), head, body);
  let running = null;

  /** Charts the claim of the search against documents: those marked relevant, or the first found. */
  async function make(given = null, search = store.search) {
    if (!search) return;
    const documents = given || chosen();
    await work('chart', { documents: documents.slice(0, MOST) }, 'Charting', search);
    if (documents.length > MOST) say(`A chart takes ${MOST} documents at most: these are the first of ${documents.length}.`);
  }

  async function combine() {
    await work('combine', { max: Number(most.value) }, 'Combining');
  }

  async function work(route, asked, what, search = store.search) {
    if (!search) return;
    running?.abort();
    const mine = running = new AbortController();
    const elements = search.request.elements?.length ? search.request.elements : null;
    const request = { claim: search.request.claim || search.request.query, elements, filters: search.request.filters, ...asked };
    const hear = progress(body, what, () => mine.abort());
    let wrong = null;
    try {
      await addChart(search.index, route, request, hear, mine.signal);
    } catch (error) { wrong = error; }
    if (running !== mine) return; // other work was begun meanwhile
    running = null;
    if (!wrong || wrong.name === 'AbortError') draw();
    else fill(body, failed(wrong, () => work(route, asked, what, search)));
  }

  function chosen() {
    const found = store.search.result.hits.map(hit => hit.document);
    if (which.value !== 'relevant') return found.slice(0, Number(which.value));
    const documents = relevantDocuments(store.search.index);
    return [...new Set([...found.filter(id => documents.includes(id)), ...documents])]; // as they are ranked, then those not found
  }

  function drawChoice() {
    const relevant = store.search ? relevantDocuments(store.search.index).length : 0;
    const found = store.search?.result.hits.length || 0;
    const before = which.value;
    fill(which, relevant ? h('option', { value: 'relevant' }, `marked relevant (${relevant})`) : null,
      [3, 5, 10].filter(one => one <= found || one === 3).map(one => h('option', { value: Math.min(one, found) }, `the first ${Math.min(one, found)} found`)));
    if ([...which.options].some(one => one.value === before) && before !== '5') which.value = before;
    else if (!relevant) which.value = String(Math.min(5, found));
    head.hidden = !found;
  }

  function draw() {
    drawChoice();
    if (running) return; // how far the work has come is shown, until it ends
    const at = document.activeElement?.dataset.cell;
    if (store.chart) fill(body, drawn(store.chart));
    else if (store.search?.result.hits.length) fill(body, state('No chart yet', 'Choose documents above and press Chart: each feature of the claim is set against each document, with quotations.'));
    else fill(body, state('No chart yet', 'Search for a claim first; then its features are set against the documents found.', h('a', { class: 'button', href: '#/search' }, 'Search')));
    if (at) [...body.querySelectorAll('.cell-button')].find(one => one.dataset.cell === at)?.focus();
  }

  on('chart', draw);
  // What a searcher's own verdict changes is for the server to say.
  on('rulings', () => { if (store.chart) showChart(store.chart.number).catch(complain); });
  on('search', drawChoice);
  on('marks', drawChoice);
  draw();
  return { node, make, combine, chartOne: id => make([id]) };
}

function drawn(kept) {
  const { view, index } = kept;
  const others = ofClaim(store.charts).reverse();
  return [
    others.length > 1 ? h('p', { class: 'row wrap', role: 'group', 'aria-label': 'Charts of this claim' }, h('span', { class: 'dim' }, 'Charts of this claim:'), others.map(one =>
      button(`${whenMade(one.made)}, ${chartedWith(one.request)}`, () => showChart(one.number).catch(complain), { class: 'quiet', 'aria-pressed': String(one.number === kept.number) }))) : null,
    h('p', { class: 'about dim' }, `${counted(view.rows.length, 'feature')}, ${counted(view.columns.length, 'document')} of ${index}${kept.made ? ` · ${whenMade(kept.made)}` : ''}. Open a cell to read its quotations and to give your own assessment.`),
    view.combinations ? combinationList(view.combinations) : null,
    view.missing.length ? h('p', { class: 'missing' }, `In none of these documents: ${view.missing.join(', ')}.`) : null,
    h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Claim chart' }, h('table', { class: 'chart-table' },
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Feature'), view.columns.map(column => columnHead(column, index)))),
      h('tbody', {}, view.rows.map((row, number) => h('tr', {},
        h('th', { scope: 'row' }, h('b', { class: `chip ${featureClass(number)}` }, row.label), ' ', h('span', { class: 'element-text' }, row.text)),
        row.cells.map(cell => cellOf(kept, row, cell))))))),
    h('div', { class: 'told' }, view.about.map(line => h('p', { class: 'dim small' }, line))),
  ];
}

function columnHead(column, index) {
  const category = h('select', { 'aria-label': `Category of ${column.id}`, title: 'Category of a search report: X alone, Y together with others, A state of the art' },
    ['', 'X', 'Y', 'A'].map(one => h('option', { value: one }, one || 'no category')));
  category.value = markOf(index, column.id).category || '';
  category.onchange = () => setMark(index, column.id, { category: category.value || null });
  const bar = h('span', { class: 'fill' });
  bar.style.width = `${100 * column.share}%`;
  return h('th', { scope: 'col' }, h('a', { href: `#/document/${encodeURIComponent(index)}/${encodeURIComponent(column.id)}` }, column.id), h('br'),
    h('span', { class: 'dim' }, column.title), h('span', { class: 'track' }, bar), h('div', { class: 'row wrap' }, h('span', { class: column.lacks ? 'lacks' : 'dim' }, column.told), category));
}

const counted = (count, what) => `${count} ${what}${count === 1 ? '' : 's'}`;

function cellOf(kept, row, cell) {
  const { excerpt } = cell;
  return h('td', { class: `cell ${cell.verdict.replace(' ', '-')}`, 'data-document': cell.document },
    h('button', { type: 'button', class: 'cell-button', 'data-cell': `${row.label} ${cell.document}`, onclick: () => openCell(kept, row, cell) },
      h('span', { class: 'row' }, h('b', {}, cell.verdict), cell.own ? h('span', { class: 'own' }, LABELS.own) : h('span', { class: 'dim small', title: 'How strong the evidence is' }, excerpt ? cell.evidence : ''),
        h('span', { class: 'unseen' }, `: ${row.label}, ${cell.document}`)),
      excerpt ? h('span', { class: 'quote' }, h('span', { class: 'place' }, excerpt.place), ' “', pieceNodes(excerpt.pieces), '”') : null,
      cell.gaps.map(one => h('span', { class: 'small lacks' }, one)),
      cell.notes.map(one => h('span', { class: 'dim small' }, one)),
      cell.reason ? h('span', { class: 'cell-note' }, cell.reason) : null));
}

/** Shows the quotations of a cell, and lets a user say otherwise. What was written and could not be saved stands there again. */
async function openCell(kept, row, cell, written = null) {
  const ruling = rulingOf(kept.index, row.text, cell.document);
  const shown = written || { verdict: ruling.verdict, note: ruling.note, quotation: ruling.quote?.text || '' };
  const word = h('select', {}, h('option', { value: '' }, `as found: ${cell.found}`), LABELS.verdicts.map(one => h('option', { value: one }, one)));
  word.value = shown.verdict || '';
  const note = h('textarea', { rows: 3 });
  note.value = shown.note;
  const quotation = h('textarea', { rows: 3 });
  quotation.value = shown.quotation;
  const address = quote => `#/document/${encodeURIComponent(kept.index)}/${encodeURIComponent(cell.document)}/${encodeURIComponent(quote.passage)}`;
  const leave = event => event.target.closest('dialog').close('');
  const confirmed = await ask(`${row.label} in ${cell.document}`, [
    written ? h('p', { class: 'notice', role: 'alert' }, written.why) : null,
    h('p', { class: 'element-text' }, row.text),
    h('p', { class: 'dim' }, `Measured: ${[cell.measured, ...cell.notes].join('; ')}.`),
    cell.quotes.length ? cell.quotes.map(quote => h('blockquote', {},
      h('p', {}, h('a', { href: address(quote), onclick: leave, class: 'place' }, `${quote.place} in the document`), h('span', { class: 'dim small' }, ` evidence ${quote.evidence} `), button('Quote this', () => { quotation.value = quote.quotable; })),
      h('p', { class: 'text' }, pieceNodes(quote.pieces)))) : h('p', {}, 'Nothing in this document comes near the feature.'),
    h('fieldset', {}, h('legend', {}, 'My assessment'), field('Verdict', word), field('Reason', note), field('Quotation', quotation, 'Word for word from the document; it is checked. All three are in every export.')),
  ], { confirm: 'Save', wide: true });
  if (confirmed && ((word.value || null) !== ruling.verdict || note.value.trim() !== ruling.note || quotation.value.trim() !== (ruling.quote?.text || ''))) {
    const said = { verdict: word.value || null, note: note.value.trim(), quotation: quotation.value.trim() };
    const again = error => { openCell(kept, row, cell, { ...said, why: [error.message, error.whatToDo].filter(Boolean).join(' ') }); return true; };
    await setRuling(kept.index, row.text, cell.document, said, again);
  }
}

function combinationList(found) {
  const line = one => [one.parts.map((part, place) => [place ? ' with ' : '', h('b', {}, part.document), ` ${part.title} (${part.gives})`]), h('span', { class: 'dim' }, ` — ${one.ends}`)];
  return h('div', { class: 'combinations' }, h('h2', {}, 'Combinations'), found.notes.map(one => h('p', {}, one)), h('ol', {}, found.found.map(one => h('li', {}, line(one)))),
    found.runner_up ? h('p', {}, `${found.without}: `, line(found.runner_up)) : null);
}
