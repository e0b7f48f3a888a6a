// Claim charts and combinations: elements down, documents across; each cell opens its quotations and can be overruled.
import { ask } from './dialog.js';
import { button, field, fill, h } from './dom.js';
import { featureClass, markedNodes, snippet } from './marked.js';
import { addChart, setMark, setRuling } from './project.js';
import { failed, progress, state } from './status.js';
import { LABELS, markOf, marksFor, on, rulingOf, store } from './store.js';

const VERDICTS = new Map(LABELS.verdicts.map(one => [one.name, one]));
const strengthOf = evidence => LABELS.strengths.find(([, least]) => evidence >= least || !least)[0];
const NONE = LABELS.verdicts.find(one => !one.credit).name;

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
    await work('chart', { documents: documents.slice(0, 50) }, 'Charting');
  }

  async function combine() {
    await work('combine', { max: Number(most.value), top: 100 }, 'Combining');
  }

  async function work(route, asked, what) {
    const search = store.search;
    if (!search) return;
    running?.abort();
    running = new AbortController();
    const elements = search.request.elements?.length ? search.request.elements : null;
    const request = { claim: search.request.claim || search.request.query, elements, filters: search.request.filters, ...asked };
    const hear = progress(body, what, () => running.abort());
    try {
      await addChart(search.index, route, request, hear, running.signal);
    } catch (error) {
      if (error.name === 'AbortError') draw();
      else fill(body, failed(error, () => work(route, asked, what)));
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
    else if (store.search?.result.hits.length) fill(body, state('No chart yet', 'Choose documents above and press Chart: each feature of the claim is set against each document, with quotations.'));
    else fill(body, state('No chart yet', 'Search for a claim first; then its features are set against the documents found.', h('a', { class: 'button', href: '#/search' }, 'Search')));
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
  const missing = chart.elements.filter((element, row) => chart.cells[row].every(cell => verdictOf(index, element, cell) === NONE));
  return [
    h('p', { class: 'about dim' }, `${counted(chart.elements.length, 'feature')}, ${counted(columns.length, 'document')} of ${index}${kept.made ? ` · ${new Date(kept.made).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })}` : ''}. Open a cell to read its quotations and to give your own assessment.`),
    combinations ? combinationList(combinations, chart) : null,
    missing.length ? h('p', { class: 'missing' }, `In none of these documents: ${missing.map(one => one.label).join(', ')}.`) : null,
    h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Claim chart' }, h('table', { class: 'chart-table' },
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Feature'), columns.map((column, place) => columnHead(column, index, counts(chart, place, index))))),
      h('tbody', {}, chart.elements.map((element, row) => h('tr', {},
        h('th', { scope: 'row' }, h('b', { class: `chip ${featureClass(row)}` }, element.label), ' ', h('span', { class: 'element-text' }, element.text)),
        chart.cells[row].map((cell, place) => cellOf(kept, element, cell, columns[place]))))))),
    (chart.about || []).map(line => h('p', { class: 'dim small' }, line)),
  ];
}

function columnHead(column, index, told) {
  const category = h('select', { 'aria-label': `Category of ${column.id}`, title: 'Category of a search report: X alone, Y together with others, A state of the art' },
    ['', 'X', 'Y', 'A'].map(one => h('option', { value: one }, one || 'no category')));
  category.value = markOf(index, column.id).category || '';
  category.onchange = () => setMark(index, column.id, { category: category.value || null });
  const bar = h('span', { class: 'fill' });
  bar.style.width = `${100 * column.share}%`;
  return h('th', { scope: 'col' }, h('a', { href: `#/document/${encodeURIComponent(index)}/${encodeURIComponent(column.id)}` }, column.id), h('br'),
    h('span', { class: 'dim' }, column.title), h('span', { class: 'track' }, bar), h('span', { class: 'dim' }, told), category);
}

const counted = (count, what) => `${count} ${what}${count === 1 ? '' : 's'}`;
const verdictOf = (index, element, cell) => rulingOf(index, element.text, cell.document).verdict || cell.verdict;

/** How many features a document has: "2 of 6 features found, 1 partly". */
function counts(chart, place, index) {
  const credits = chart.elements.map((element, row) => VERDICTS.get(verdictOf(index, element, chart.cells[row][place])).credit);
  const partly = credits.filter(one => one > 0 && one < 1).length;
  return `${credits.filter(one => one === 1).length} of ${credits.length} features found${partly ? `, ${partly} partly` : ''}`;
}

function share(chart, place, index) {
  const total = chart.weights.reduce((sum, one) => sum + one, 0) || 1;
  return chart.elements.reduce((sum, element, row) => sum + chart.weights[row] * VERDICTS.get(verdictOf(index, element, chart.cells[row][place])).credit, 0) / total;
}

function cellOf(kept, element, cell, column) {
  const ruling = rulingOf(kept.index, element.text, cell.document);
  const word = ruling.verdict || cell.verdict;
  const quote = ruling.quote || cell.quotes[0];
  return h('td', { class: `cell ${word.replace(' ', '-')}`, 'data-document': column.id },
    h('button', { type: 'button', class: 'cell-button', 'data-cell': `${element.label} ${column.id}`, onclick: () => openCell(kept, element, cell) },
      h('span', { class: 'row' }, h('b', {}, word), ruling.verdict ? h('span', { class: 'own' }, 'assessed by the searcher') : h('span', { class: 'dim small', title: 'How strong the evidence is' }, word === NONE ? '' : strengthOf(cell.evidence)),
        h('span', { class: 'unseen' }, `: ${element.label}, ${column.id}`)),
      quote && word !== NONE ? h('span', { class: 'quote' }, h('span', { class: 'place' }, placeOf(kept, quote)), ' “', ruling.quote ? ruling.quote.text : quoted(cell), '”') : null,
      notesOf(cell).map(one => h('span', { class: 'dim small' }, one)),
      ruling.note ? h('span', { class: 'cell-note' }, ruling.note) : null));
}

const matchesOf = (cell, quote) => cell.pairs.filter(pair => pair.quote === quote).map(pair => ({ ...pair.passage, strength: pair.likeness }));

/** The best quotation, cut around what says the same as the element. */
function quoted(cell) {
  const { text } = cell.quotes[0];
  const places = matchesOf(cell, 0);
  const [from, to] = snippet(text, places, 150);
  return [from ? '… ' : '', markedNodes(text, places, { from, to }), to < text.length ? ' …' : ''];
}
const placeOf = (kept, quote) => kept.places[quote.passage] || quote.number || ''; // one's own quotation may be of another passage

function notesOf(cell) {
  const notes = cell.missing.length ? [`${cell.verdict === LABELS.verdicts[0].name || (cell.verdict === LABELS.verdicts[1].name && !cell.pairs.length) ? 'not in these words' : 'not found'}: ${[...new Set(cell.missing.map(one => one.text))].join(', ')}`] : [];
  const second = cell.second ? [`second reader: ${[cell.second.verdict, cell.second.quote && `“${cell.second.quote.text}”`, cell.second.note].filter(Boolean).join(', ')}`] : [];
  return [...notes, ...cell.numbers.map(one => `${one.found} ${one.agrees ? 'agrees with' : 'contradicts'} ${one.claimed}`), ...second];
}

/** Shows the quotations of a cell, and lets a user say otherwise. */
async function openCell(kept, element, cell) {
  const ruling = rulingOf(kept.index, element.text, cell.document);
  const word = h('select', {}, h('option', { value: '' }, `as found: ${cell.verdict}`), LABELS.verdicts.map(one => h('option', { value: one.name }, one.label)));
  word.value = ruling.verdict || '';
  const note = h('textarea', { rows: 3 });
  note.value = ruling.note;
  const quotation = h('textarea', { rows: 3 });
  quotation.value = ruling.quote?.text || '';
  const address = quote => `#/document/${encodeURIComponent(kept.index)}/${encodeURIComponent(cell.document)}/${encodeURIComponent(quote.passage)}`;
  const leave = event => event.target.closest('dialog').close('');
  const confirmed = await ask(`${element.label} in ${cell.document}`, [
    h('p', { class: 'element-text' }, element.text),
    h('p', { class: 'dim' }, `Found: ${cell.verdict}, evidence ${strengthOf(cell.evidence)}. `, notesOf(cell).join('; ')),
    cell.quotes.length ? cell.quotes.map((quote, number) => h('blockquote', {},
      h('p', {}, h('a', { href: address(quote), onclick: leave, class: 'place' }, `${placeOf(kept, quote)} in the document`), h('span', { class: 'dim small' }, ` evidence ${strengthOf(quote.evidence)} `), button('Quote this', () => { quotation.value = quote.text; })),
      h('p', { class: 'text' }, markedNodes(quote.text, matchesOf(cell, number))))) : h('p', {}, 'Nothing in this document comes near the feature.'),
    h('fieldset', {}, h('legend', {}, 'My assessment'), field('Verdict', word), field('Reason', note), field('Quotation', quotation, 'Word for word from the document; it is checked. All three are in every export.')),
  ], { confirm: 'Save', wide: true });
  if (confirmed && ((word.value || null) !== ruling.verdict || note.value.trim() !== ruling.note || quotation.value.trim() !== (ruling.quote?.text || ''))) {
    await setRuling(kept.index, element.text, cell.document, { verdict: word.value || null, note: note.value.trim(), quotation: quotation.value.trim() });
  }
}

function combinationList(found, chart) {
  const titles = new Map(chart.documents.map(one => [one.id, one.title]));
  const told = [found.own ? `Starting from ${counted(found.own, 'verdict')} of your own.` : '',
    found.left_out ? `Left out, as marked not relevant: ${counted(found.left_out, 'document')}.` : '',
    found.missing.length ? `In none of the ${found.documents} documents: ${found.missing.join(', ')}.` : '',
    found.found[0]?.lacks?.length ? 'No combination has every feature. The best there are:' : found.found.length ? '' : 'No combination found.'].filter(Boolean);
  const ends = one => (one.lacks?.length ? `lacks ${one.lacks.join(', ')}` : `every feature at least ${one.verdict}, weakest ${one.weakest_element} (${strengthOf(one.weakest)})`);
  return h('div', { class: 'combinations' }, h('h2', {}, 'Combinations'), told.map(one => h('p', {}, one)), h('ol', {}, found.found.map(one => h('li', {},
    one.parts.map((part, place) => [place ? ' with ' : '', h('b', { title: titles.get(part.document) }, part.document), ` ${titles.get(part.document) || ''} (${part.discloses.join(', ') || 'nothing alone'})`]),
    h('span', { class: 'dim' }, ` — ${ends(one)}`)))));
}
