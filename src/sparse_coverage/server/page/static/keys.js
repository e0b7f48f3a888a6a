// Keys: everything can be done without a mouse. They are off while one types, and while a dialog is open.
import { ask } from './dialog.js';
import { h } from './dom.js';

const HELP = [
  ['/', 'go to the claim'], ['Ctrl+Enter', 'search'], ['j  k', 'next, previous result; in a document, next, previous match, best first'],
  ['Enter', 'open the document'], ['Esc', 'back to the results'], ['[  ]', 'in a document: the one before, the one after'],
  ['r  n', 'relevant, not relevant (again: no mark)'], ['R  N', 'the same for the passage'], ['e', 'note'], ['u', 'undo the last mark'],
  ['g', 'rank again with the marks'], ['c', 'chart the claim'], ['s', 'read side by side'], ['1  2  3', 'search, chart, project'], ['?', 'this list'],
];

/** Calls what a key stands for. */
export function listenToKeys(actions) {
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector('dialog[open]')) return;
    const typing = event.target.closest('input, textarea, select');
    if (typing) {
      if (event.key === 'Escape') typing.blur();
      return;
    }
    const action = actions[event.key];
    if (!action || (event.key === 'Enter' && event.target.closest('a, button, summary'))) return;
    event.preventDefault();
    action();
  });
}

/** Shows the list of keys. */
export const showKeys = () => ask('Keys', [h('dl', { class: 'keys' }, HELP.map(([keys, what]) => [h('dt', {}, keys.split('  ').map(key => h('kbd', {}, key))), h('dd', {}, what)]))], { confirm: 'Close', cancel: null });
