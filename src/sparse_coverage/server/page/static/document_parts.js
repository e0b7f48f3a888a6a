// What a document has wherever it is shown: buttons to mark it, its note.
import { ask } from './dialog.js';
import { field, h } from './dom.js';
import { setMark } from './project.js';
import { redrawn } from './redraw.js';
import { markOf } from './store.js';

/** Two buttons and one for the note. `name` tells screen readers what is marked. */
export function markButtons(index, id, name, { note = true } = {}) {
  const make = (mark, text, key) => h('button', {
    type: 'button', class: `mark-${mark}`, title: `${text} (${key})`, 'aria-label': `${text}: ${name}`,
    onclick: () => toggleMark(index, id, mark),
  }, text);
  const relevant = make('relevant', 'relevant', 'r');
  const not = make('not', 'not relevant', 'n');
  const noting = note ? h('button', { type: 'button', class: 'quiet', title: 'Note (e)', 'aria-label': `Note on ${name}`, onclick: () => editNote(index, id) }, 'note') : null;
  const draw = () => {
    const { mark } = markOf(index, id);
    relevant.setAttribute('aria-pressed', String(mark === 'relevant'));
    not.setAttribute('aria-pressed', String(mark === 'not'));
  };
  return redrawn(h('div', { class: 'marks' }, relevant, not, noting), draw);
}

/** The note of a document, where it has one; pressing it edits it. */
export function noteOf(index, id) {
  const node = h('button', { type: 'button', class: 'note', onclick: () => editNote(index, id) });
  const draw = () => {
    const { note } = markOf(index, id);
    node.hidden = !note;
    node.textContent = note ? `Note: ${note}` : '';
  };
  return redrawn(node, draw);
}

/** Sets a mark, or takes it away where it is set. */
export function toggleMark(index, id, mark) {
  return setMark(index, id, { mark: markOf(index, id).mark === mark ? null : mark });
}

/** Asks for a note. */
export async function editNote(index, id) {
  const area = h('textarea', { rows: 5 });
  area.value = markOf(index, id).note;
  if (await ask(`Note on ${id}`, [field('Note', area, 'It is in every export.')], { confirm: 'Save' })) await setMark(index, id, { note: area.value.trim() });
}
