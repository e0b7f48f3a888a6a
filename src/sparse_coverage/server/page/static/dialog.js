// Dialogs: the browser's own, which keep the focus inside, close with Escape and give the focus back.
import { button, h, newId } from './dom.js';

/** Shows a dialog and resolves to whether it was confirmed. With `must` it cannot be left otherwise. */
export function ask(title, content, { confirm = 'OK', cancel = 'Cancel', must = false, danger = false, wide = false } = {}) {
  return new Promise(resolve => {
    const id = newId();
    const form = h('form', { method: 'dialog' },
      h('h2', { id }, title), content,
      h('p', { class: 'row end' },
        must || !cancel ? null : button(cancel, () => dialog.close('')),
        confirm ? h('button', { value: 'yes', class: danger ? 'danger' : 'primary' }, confirm) : null));
    const dialog = h('dialog', { 'aria-labelledby': id, class: wide ? 'wide' : '' }, form);
    dialog.addEventListener('cancel', event => { if (must) event.preventDefault(); });
    dialog.addEventListener('close', () => { dialog.remove(); resolve(dialog.returnValue === 'yes'); });
    document.body.append(dialog);
    dialog.showModal();
  });
}
