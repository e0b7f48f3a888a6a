// The list of what was found: one row a family, with its coverage of each element and its best passage.
import { button, h, outside } from './dom.js';
import { coverage } from './elements.js';
import { filtersText } from './filters.js';
import { links, markButtons, noteOf } from './document_parts.js';
import { markedNodes, placesOf, snippet } from './marked.js';
import { redrawn } from './redraw.js';
import { marksFor } from './store.js';

const LENGTH = 420; // characters of a passage in a row

/** Makes the list of a search with its heading. */
export function resultList(shown, actions) {
  const { result, request, index } = shown;
  const cover = coverage(result, request.elements || []);
  const rows = result.hits.map((hit, place) => resultRow(hit, place, shown, cover, actions));
  return [heading(shown, actions), legend(cover), h('ol', { class: 'results' }, rows), notes(result)];

  function heading() {
    const about = h('p', { class: 'about' },
      h('b', {}, `${result.hits.length} ${result.hits.length === 1 ? 'document' : 'documents'}`),
      ` in ${index} · ${systemName(request.system)} · ${filtersText(request.filters) || 'no filters'}`,
      result.about?.date ? ` · ${new Date(shown.made || result.about.date).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })}` : '');
    return h('div', { class: 'results-head' }, about, ranking(shown, actions),
      h('p', { class: 'row' }, button('Chart the claim', actions.chart, { title: 'c' }), button('Combine documents', actions.combine)));
  }
}

/** What the ranking was made with, and a way to make it anew with the marks that are there now. */
function ranking(shown, actions) {
  const line = h('p', { class: 'row ranking' });
  const draw = () => {
    const now = JSON.stringify(marksFor(shown.index));
    const then = JSON.stringify(shown.request.marks || null);
    const used = shown.request.marks;
    const told = used ? `Ranked with ${count(used)}.` : '';
    line.replaceChildren();
    if (told) line.append(h('span', {}, told));
    if (now !== then && now !== 'null') line.append(button(`Rank again with ${count(marksFor(shown.index))}${shown.request.system === 'coverage' ? '' : ', by Sparse Coverage'}`, () => actions.rankAgain(true), { class: 'primary', title: 'g' }));
    if (used) line.append(button('Rank without marks', () => actions.rankAgain(false)));
    line.hidden = !line.childNodes.length;
  };
  return redrawn(line, draw);
}

const count = marks => `${marks.relevant.length} marked relevant, ${marks.not_relevant.length} not`;
export const systemName = name => ({ coverage: 'Sparse Coverage', hybrid: 'Hybrid', bm25: 'BM25', dense: 'Dense vectors' }[name] || name);

const legend = cover => (cover.elements.length
  ? h('p', { class: 'dim small legend' }, 'Bars: how much of each element the passages shown hold, compared with the document that holds most of it.')
  : null);

const notes = result => (result.notes?.length ? h('ul', { class: 'dim small' }, result.notes.map(one => h('li', {}, one))) : null);

function resultRow(hit, place, shown, cover, actions) {
  const { index, result, request } = shown;
  const facts = hit.metadata;
  const before = request.before?.indexOf(hit.document);
  const moved = request.before ? (before < 0 ? 'new' : before === place ? '' : before > place ? `↑ ${before + 1}` : `↓ ${before + 1}`) : '';
  const href = `#/document/${encodeURIComponent(index)}/${encodeURIComponent(hit.document)}`;
  const row = h('li', { class: 'result', 'data-id': hit.document, 'data-index': index, 'data-passage': hit.passages[0]?.id },
    h('div', { class: 'rank' }, h('span', {}, place + 1), moved ? h('small', { class: 'moved', title: moved === 'new' ? 'not in the list before' : `was at ${before + 1}` }, moved) : null),
    h('div', { class: 'what' },
      h('h2', {}, h('a', { class: 'title', href }, hit.title || hit.document)),
      h('p', { class: 'facts' }, [
        h('b', {}, hit.document), dated('published', facts.publication_date), dated('priority', facts.priority_date),
        few(facts.ipc), few(facts.applicants), hit.members.length ? `family: ${few(hit.members)}` : null,
      ].filter(Boolean).flatMap((one, number) => (number ? [' · ', one] : [one])), links(hit.document).map(([name, address]) => [' · ', outside(name, address)])),
      bars(cover, hit.document),
      hit.passages.slice(0, 1).map(passage => passageLine(passage, result)),
      hit.passages.length > 1 ? h('details', { class: 'more' }, h('summary', {}, `${hit.passages.length - 1} more ${hit.passages.length > 2 ? 'passages' : 'passage'}`),
        hit.passages.slice(1).map(passage => passageLine(passage, result))) : null,
      noteOf(index, hit.document)),
    h('div', { class: 'does' }, markButtons(index, hit.document, hit.title || hit.document)));
  row.addEventListener('focusin', () => actions.chosen(row));
  row.addEventListener('click', () => actions.chosen(row));
  return row;
}

const few = (value, most = 3) => {
  const values = Array.isArray(value) ? value : value ? [value] : [];
  return values.length > most ? `${values.slice(0, most).join(', ')} +${values.length - most}` : values.join(', ');
};
const dated = (name, date) => (date ? `${name} ${date}` : null);

function bars(cover, id) {
  const shares = cover.of(id);
  if (!shares.length) return null;
  const told = cover.elements.map((one, number) => `${one.label} ${Math.round(100 * shares[number])} %`).join(', ');
  return h('div', { class: 'bars', role: 'img', 'aria-label': `Coverage of the elements: ${told}` },
    cover.elements.map((one, number) => {
      const fill = h('span', { class: 'fill' });
      fill.style.width = `${100 * shares[number]}%`;
      return h('span', { class: 'element-bar', title: `${one.label} ${one.text}: ${Math.round(100 * shares[number])} %` }, h('span', { class: 'track' }, fill), h('span', { class: 'label' }, one.label));
    }));
}

/** Where a passage stands, for people. */
export function placeName(passage) {
  if (passage.section === 'claims' && passage.number) return `claim ${passage.number}`;
  const within = passage.id.slice(passage.document.length + 1).split('/')[0];
  return passage.number ? `${passage.section} [${passage.number}]` : passage.section || within;
}

function passageLine(passage, result) {
  const places = placesOf(result.reasons[passage.id]);
  const [from, to] = snippet(passage.text, places, LENGTH);
  return h('p', { class: 'passage' }, h('span', { class: 'place' }, placeName(passage)), ' ',
    from ? '… ' : '', markedNodes(passage.text, places, { from, to }), to < passage.text.length ? ' …' : '');
}
