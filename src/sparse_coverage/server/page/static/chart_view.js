// Claim charts and combinations: elements down, documents across; each cell opens its quotations and can be overruled.
import { ofIndex, stream } from './api.js';
import { ask } from './dialog.js';
import { button, field, fill, h } from './dom.js';
import { markedNodes, snippet } from './marked.js';
import { addChart, setRuling } from './project.js';
import { failed, progress, state } from './status.js';
import { marksFor, on, rulingOf, store } from './store.js';

const CREDIT = { disclosed: 1, partly: 0.5, 'not found': 0 };
const KINDS = { disclosed: 'disclosed', partly: 'partly', 'not found': 'none' };

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
  async function make(documents = chosen()) {
    await work('chart', { documents: documents.slice(0, 50) }, 'Charting', answer => [answer, null]);
  }

  async function combine() {
    await work('combine', { max: Number(most.value), top: 100 }, 'Combining', answer => [answer.chart, answer.combinations]);
  }

  async function work(route, asked, what, parts) {
    const search = store.search;
    if (!search) return;
    running?.abort();
    running = new AbortController();
    const elements = search.request.elements?.length ? search.request.elements : null;
    const request = { claim: search.request.claim || search.request.query, elements, filters: search.request.filters, ...asked };
    const hear = progress(body, what, () => running.abort());
    try {
      const answer = await stream(ofIndex(search.index, `/${route}`), request, hear, running.signal);
      const [chart, combinations] = parts(answer);
      await addChart(search.index, request, chart, combinations);
    } catch (error) {
      if (error.name === 'AbortError') draw();
      else fill(body, failed(error, () => work(route, asked, what, parts)));
    }
  }

  function chosen() {
    const relevant = marksFor(store.search.index)?.relevant || [];
    const documents = [...new Set(relevant.map(id => store.marks.get(`${store.search.index}\u0000${id}`)?.document || id))];
    return which.value === 'relevant' ? documents : store.search.result.hits.slice(0, Number(which.value)).map(hit => hit.document);
  }

  function drawChoice() {
    const relevant = store.search ? new Set((marksFor(store.search.index)?.relevant || []).map(id => store.marks.get(`${store.search.index}\u0000${id}`)?.document || id)).size : 0;
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
    const at = document.activeElement?.dataset.cell;
    if (store.chart?.chart.elements) fill(body, drawn(store.chart));
    else if (store.search?.result.hits.length) fill(body, state('No chart yet', 'Choose documents above and press Chart: each element of the claim is set against each document, with quotations.'));
    else fill(body, state('No chart yet', 'Search for a claim first; then its elements are set against the documents found.', h('a', { class: 'button', href: '#/search' }, 'Search')));
    if (at) [...body.querySelectorAll('.cell-button')].find(one => one.dataset.cell === at)?.focus();
  }

  on('chart', draw);
  on('rulings', draw);
  on('search', drawChoice);
  on('marks', drawChoice);
  draw();
  return { node, make, combine, chartOne: id => make([id]) };
}

function drawn(kept) {
  const { chart, combinations, index } = kept;
  const columns = chart.documents.map((column, place) => ({ ...column, share: share(chart, place, index) }));
  const missing = chart.elements.filter((element, row) => chart.cells[row].every(cell => wordOf(index, element, cell) === 'not found'));
  return [
    h('p', { class: 'about dim' }, `${counted(chart.elements.length, 'element')}, ${counted(columns.length, 'document')} of ${index}${kept.made ? ` · ${new Date(kept.made).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })}` : ''}. Open a cell to read its quotations and to overrule it.`),
    combinations ? combinationList(combinations, chart) : null,
    missing.length ? h('p', { class: 'missing' }, `In none of these documents: ${missing.map(one => one.label).join(', ')}.`) : null,
    h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Claim chart' }, h('table', { class: 'chart-table' },
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Element'), columns.map(column => columnHead(column, index)))),
      h('tbody', {}, chart.elements.map((element, row) => h('tr', {},
        h('th', { scope: 'row' }, h('b', {}, element.label), ' ', h('span', { class: 'element-text' }, element.text)),
        chart.cells[row].map((cell, place) => cellOf(kept, element, cell, columns[place]))))))),
  ];
}

function columnHead(column, index) {
  const bar = h('span', { class: 'fill' });
  bar.style.width = `${100 * column.share}%`;
  return h('th', { scope: 'col' }, h('a', { href: `#/document/${encodeURIComponent(index)}/${encodeURIComponent(column.id)}` }, column.id), h('br'),
    h('span', { class: 'dim' }, column.title), h('span', { class: 'track' }, bar), h('span', { class: 'dim' }, `covers ${Math.round(100 * column.share)} %`));
}

const counted = (count, what) => `${count} ${what}${count === 1 ? '' : 's'}`;
const wordOf = (index, element, cell) => rulingOf(index, element.text, cell.document).word || cell.word;

function share(chart, place, index) {
  const total = chart.weights.reduce((sum, one) => sum + one, 0) || 1;
  return chart.elements.reduce((sum, element, row) => sum + chart.weights[row] * CREDIT[wordOf(index, element, chart.cells[row][place])], 0) / total;
}

function cellOf(kept, element, cell, column) {
  const ruling = rulingOf(kept.index, element.text, cell.document);
  const word = ruling.word || cell.word;
  const quote = cell.quotes[0];
  return h('td', { class: `cell ${KINDS[word]}`, 'data-document': column.id },
    h('button', { type: 'button', class: 'cell-button', 'data-cell': `${element.label} ${column.id}`, onclick: () => openCell(kept, element, cell) },
      h('span', { class: 'row' }, h('b', {}, word), ruling.word ? h('span', { class: 'own' }, 'yours') : h('span', { class: 'dim small', title: 'From 0 to 1; how much makes “partly” or “disclosed” was measured on judged cells' }, `evidence ${cell.evidence.toFixed(2)}`),
        h('span', { class: 'unseen' }, `: ${element.label}, ${column.id}`)),
      quote && word !== 'not found' ? h('span', { class: 'quote' }, h('span', { class: 'place' }, placeOf(quote)), ' “', quoted(cell), '”') : null,
      notesOf(cell).map(one => h('span', { class: 'dim small' }, one)),
      ruling.note ? h('span', { class: 'cell-note' }, ruling.note) : null));
}

const matchesOf = (cell, quote) => cell.pairs.filter(pair => (pair.quote ?? 0) === quote).map(pair => ({ ...pair.passage, strength: pair.likeness }));

/** The best quotation, cut around what says the same as the element. */
function quoted(cell) {
  const { text } = cell.quotes[0];
  const places = matchesOf(cell, 0);
  const [from, to] = snippet(text, places, 150);
  return [from ? '… ' : '', markedNodes(text, places, { from, to }), to < text.length ? ' …' : ''];
}
const placeOf = quote => (quote.number ? (quote.section === 'claims' ? `claim ${quote.number}` : `[${quote.number}]`) : quote.passage.split('/').slice(1).join('/'));

function notesOf(cell) {
  const notes = cell.missing.length ? [`not found: ${[...new Set(cell.missing.map(one => one.text))].join(', ')}`] : [];
  return [...notes, ...cell.numbers.map(one => `${one.found} ${one.agrees ? 'agrees with' : 'contradicts'} ${one.claimed}`)];
}

/** Shows the quotations of a cell, and lets a user say otherwise. */
async function openCell(kept, element, cell) {
  const ruling = rulingOf(kept.index, element.text, cell.document);
  const word = h('select', {}, h('option', { value: '' }, `as found: ${cell.word}`), ['disclosed', 'partly', 'not found'].map(one => h('option', { value: one }, one)));
  word.value = ruling.word || '';
  const note = h('textarea', { rows: 3 });
  note.value = ruling.note;
  const address = quote => `#/document/${encodeURIComponent(kept.index)}/${encodeURIComponent(cell.document)}/${encodeURIComponent(quote.passage)}`;
  const leave = event => event.target.closest('dialog').close('');
  const confirmed = await ask(`${element.label} in ${cell.document}`, [
    h('p', { class: 'element-text' }, element.text),
    h('p', { class: 'dim' }, `Found: ${cell.word}, evidence ${cell.evidence.toFixed(2)}. `, notesOf(cell).join('; ')),
    cell.quotes.length ? cell.quotes.map((quote, number) => h('blockquote', {},
      h('p', {}, h('a', { href: address(quote), onclick: leave, class: 'place' }, `${placeOf(quote)} in the document`), h('span', { class: 'dim small' }, ` evidence ${quote.evidence.toFixed(2)}`)),
      h('p', { class: 'text' }, markedNodes(quote.text, matchesOf(cell, number))))) : h('p', {}, 'Nothing in this document comes near the element.'),
    h('fieldset', {}, h('legend', {}, 'Your own finding'), field('Word', word), field('Why', note, 'The word and the note are in every export.')),
  ], { confirm: 'Save', wide: true });
  if (confirmed && ((word.value || null) !== ruling.word || note.value.trim() !== ruling.note)) {
    await setRuling(kept.index, element.text, cell.document, { word: word.value || null, note: note.value.trim() });
  }
}

function combinationList(found, chart) {
  const titles = new Map(chart.documents.map(one => [one.id, one.title]));
  if (!found.found.length) {
    return h('div', { class: 'combinations' }, h('h2', {}, 'Combinations'), h('p', {}, found.missing.length
      ? `No combination found: ${found.missing.join(', ')} in none of the ${found.documents} documents.`
      : 'No combination of so few documents discloses every element. Allow more.'));
  }
  return h('div', { class: 'combinations' }, h('h2', {}, 'Combinations'), h('ol', {}, found.found.map(one => h('li', {},
    one.parts.map((part, place) => [place ? ' with ' : '', h('b', { title: titles.get(part.document) }, part.document), ` ${titles.get(part.document) || ''} (${part.discloses.join(', ') || 'nothing alone'})`]),
    h('span', { class: 'dim' }, ` — every element ${one.word}, weakest ${one.weakest_element} ${one.weakest.toFixed(2)}`)))));
}
