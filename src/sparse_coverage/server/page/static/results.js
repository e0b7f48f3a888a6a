// The list of what was found: one row a family, with the features that it answers and its best passage, as the server shows it.
import { button, h, outside } from './dom.js';
import { markButtons, noteOf } from './document_parts.js';
import { featureClass, pieceNodes } from './marked.js';
import { redrawn } from './redraw.js';
import { LABELS, marksFor } from './store.js';

/** Makes the list of a search with its heading. */
export function resultList(shown, actions) {
  const { view, index, request } = shown;
  return [heading(shown, actions), request.elements?.length ? h('p', { class: 'dim small legend' }, 'Each feature of the claim has its colour. A filled label: the passages shown have phrases for it, in that colour. A label with an edge: they have single words of it. Point at a label to read which.') : null,
    notes(view), h('ol', { class: 'results' }, view.hits.map((hit, place) => resultRow(hit, place, index, actions)))];
}

function heading(shown, actions) {
  const { view, index } = shown;
  return h('div', { class: 'results-head' },
    h('p', { class: 'about' }, h('b', {}, view.told), ` in ${index} · ${view.ranking} · ${view.filters === 'none' ? 'no filters' : view.filters} · ${whenMade(shown.made)}`),
    ranking(shown, actions),
    h('p', { class: 'row wrap' }, button('Chart the claim', actions.chart, { title: 'c' }), button('Combine documents', actions.combine), button('Read side by side', actions.compare, { title: 's' })));
}

export const whenMade = made => new Date(made).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** What the ranking was made with, and a way to make it anew with the marks that are there now. */
function ranking(shown, actions) {
  const line = h('p', { class: 'row ranking' });
  const draw = () => {
    const now = JSON.stringify(marksFor(shown.index));
    const then = JSON.stringify(shown.request.marks || null);
    const used = shown.request.marks;
    line.replaceChildren();
    if (used) line.append(h('span', {}, `Ranked with ${count(used)}.`));
    if (now !== then && now !== 'null') line.append(button(`Rank again with ${count(marksFor(shown.index))}${takesMarks(shown.request.ranking) ? '' : ', by the combined ranking'}`, () => actions.rankAgain(true), { class: 'primary', title: 'g' }));
    if (used) line.append(button('Rank without marks', () => actions.rankAgain(false)));
    line.hidden = !line.childNodes.length;
  };
  return redrawn(line, draw);
}

const count = marks => `${marks.relevant?.length || 0} marked relevant, ${marks.not_relevant?.length || 0} not`;
/** Marks change what centers find, so a ranking without them cannot take any. */
export const takesMarks = name => LABELS.takes_marks.includes(name);
const notes = view => (view.notes.length ? h('ul', { class: 'dim small' }, view.notes.map(one => h('li', {}, one))) : null);

function resultRow(hit, place, index, actions) {
  const row = h('li', { class: 'result', 'data-id': hit.document, 'data-index': index, 'data-passage': hit.passages[0]?.id },
    h('div', { class: 'rank' }, h('span', {}, place + 1), hit.was ? h('small', { class: 'moved' }, hit.was) : null),
    h('div', { class: 'what' },
      h('h2', {}, h('a', { class: 'title', href: `#/document/${encodeURIComponent(index)}/${encodeURIComponent(hit.document)}` }, hit.title)),
      h('p', { class: 'facts' }, known(hit)),
      hit.why ? h('p', { class: 'dim small' }, hit.why) : null,
      chips(hit.features),
      hit.passages.slice(0, 1).map(passageLine),
      hit.passages.length > 1 ? h('details', { class: 'more' }, h('summary', {}, `${hit.passages.length - 1} more ${hit.passages.length > 2 ? 'passages' : 'passage'}`), hit.passages.slice(1).map(passageLine)) : null,
      noteOf(index, hit.document)),
    h('div', { class: 'does' }, markButtons(index, hit.document, hit.title)));
  row.addEventListener('focusin', () => actions.chosen(row));
  row.addEventListener('click', () => actions.chosen(row));
  return row;
}

/** What is known of a document in one line; its number, unless it has no title and stands above by its number. */
function known(hit) {
  const parts = [
    hit.title === hit.document ? null : h('b', {}, hit.document),
    hit.closeness ? h('span', { class: `closeness ${hit.closeness}` }, hit.closeness) : null,
    ...hit.facts.map(one => h('span', {}, one)),
    ...Object.entries(hit.links).map(([name, address]) => outside(name, address)),
  ];
  return parts.filter(Boolean).flatMap((one, place) => (place ? [' · ', one] : [one]));
}

/** A label for each feature: filled where the passages shown have phrases for it, with an edge where they have single words of it. */
function chips(features) {
  if (!features.length) return null;
  return h('ul', { class: 'chips', 'aria-label': 'Features' }, features.map((one, number) => {
    const [kind, told] = one.phrases.length ? ['', 'has phrases here'] : one.words.length ? [' some', 'has words here'] : [' empty', 'has none here'];
    const found = [...one.phrases, ...one.words].join(', ') || 'no words of it in the passages shown';
    return h('li', { class: `chip ${featureClass(number)}${kind}`, title: `${one.text}: ${found}` }, one.label, h('span', { class: 'unseen' }, ` ${told}`));
  }));
}

const passageLine = passage => h('p', { class: 'passage' }, h('span', { class: 'place' }, passage.place), ' ',
  passage.before ? '… ' : '', pieceNodes(passage.pieces), passage.after ? ' …' : '');
