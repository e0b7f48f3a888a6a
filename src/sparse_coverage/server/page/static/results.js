// The list of what was found: one row a family, with the features that it answers and its best passage, as the server shows it.
import { button, h, outside } from './dom.js';
import { markButtons, noteOf } from './document_parts.js';
import { featureClass, pieceNodes } from './marked.js';
import { redrawn } from './redraw.js';
import { LABELS, marksFor } from './store.js';

/** Makes the list of a search with its heading. */
export function resultList(shown, actions) {
  const { view, index, request } = shown;
  return [heading(shown, actions), request.elements?.length ? h('p', { class: 'dim small legend' }, 'Each feature of the claim has its colour. A filled label: one passage has most of its words. A label with an edge: some of them, or a phrase of its meaning. Press a label to go there. It is no judgement; that is the chart.') : null,
    notes(view), h('ol', { class: 'results' }, view.hits.map((hit, place) => resultRow(hit, place, index, actions))), beyond(view, index, actions)];
}

/** What has the features that the first documents lack. */
function beyond({ lacking, beyond: hits }, index, actions) {
  if (!lacking.length) return null;
  const named = lacking.join(', ');
  return h('section', { class: 'beyond', 'aria-label': 'What the first ten lack' }, h('h2', {}, hits.length ? `Have what the first ten lack: ${named}` : `Lacking in the first ten, and nothing else found has it: ${named}`),
    h('ol', { class: 'results' }, hits.map(hit => resultRow(hit, -1, index, actions))));
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
    h('div', { class: 'rank' }, h('span', {}, place < 0 ? '+' : place + 1), hit.was ? h('small', { class: 'moved' }, hit.was) : null),
    h('div', { class: 'what' },
      h('h2', {}, h('a', { class: 'title', href: `#/document/${encodeURIComponent(index)}/${encodeURIComponent(hit.document)}` }, hit.title)),
      h('p', { class: 'facts' }, known(hit)),
      hit.why ? h('p', { class: 'dim small' }, hit.why) : null,
      strip(hit, index),
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

/** A label for each feature: filled where a passage has most of its words, with an edge where one has some; it leads to that passage. */
function strip({ document, features }, index) {
  if (!features.length) return null;
  return h('ul', { class: 'chips', 'aria-label': 'Features' }, features.map((one, number) => {
    const look = `chip ${featureClass(number)}${one.has === 'touched' ? '' : one.has ? ' some' : ' empty'}${one.left_out ? ' left-out' : ''}`;
    const told = `${one.text}: ${one.told}${one.left_out ? ' (left out of the search)' : ''}`;
    const inside = [one.label, h('span', { class: 'unseen' }, `: ${one.told}`)];
    return h('li', {}, one.passage ? h('a', { class: look, title: told, href: `#/document/${[index, document, one.passage].map(encodeURIComponent).join('/')}` }, inside) : h('span', { class: look, title: told }, inside));
  }));
}

const passageLine = passage => h('p', { class: 'passage' }, h('span', { class: 'place' }, passage.place), ' ',
  passage.before ? '… ' : '', pieceNodes(passage.pieces), passage.after ? ' …' : '');
