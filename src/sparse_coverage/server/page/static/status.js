// What is told to the user: a line that screen readers speak, notices that stay until they are closed, and states of a view.
import { add, button, byId, fill, h, plain } from './dom.js';

let clearing = null;

/** Says something in the line at the foot; it goes after a while. */
export function say(text) {
  const line = byId('status');
  line.textContent = plain(text);
  clearTimeout(clearing);
  clearing = setTimeout(() => { line.textContent = ''; }, 6000);
}

/** Shows a notice with buttons that stays until one is pressed. `name` keeps it from being there twice. */
export function notice(name, text, actions = {}) {
  document.querySelector(`[data-notice="${name}"]`)?.remove();
  const shown = h('div', { class: 'notice', role: 'alert', 'data-notice': name }, h('span', {}, text));
  const close = work => () => { shown.remove(); work?.(); };
  add(shown, Object.entries(actions).map(([label, work]) => button(label, close(work))));
  shown.append(button('×', close(), { class: 'quiet', 'aria-label': 'Close' }));
  byId('notices').append(shown);
}

/** Shows an error as a notice. */
export function complain(error) {
  if (error.name === 'AbortError') return;
  notice('error', [error.message, error.whatToDo].filter(Boolean).join(' '));
}

/** The state of a view in which there is nothing to show: a heading, a sentence, and what can be done. */
export const state = (heading, text, ...actions) =>
  h('div', { class: 'state' }, h('h2', {}, heading), text && h('p', {}, text), actions.length ? h('p', { class: 'row' }, actions) : null);

/** The state of a view that failed. */
export const failed = (error, again) =>
  h('div', { class: 'state failed', role: 'alert' }, h('h2', {}, 'That did not work'), h(error.message.includes('\n') ? 'pre' : 'p', {}, error.message),
    error.whatToDo ? h('p', {}, error.whatToDo) : null, again ? h('p', {}, button('Try again', again)) : null);

/** Shows how far long work has come and for how long it goes on, with a way to end it. Returns what tells it of progress. */
export function progress(parent, what, cancel) {
  const bar = h('progress', { max: 1, value: 0, 'aria-label': what });
  const told = h('span', {}, what);
  const begun = performance.now();
  const node = h('div', { class: 'state working' }, h('p', {}, told), bar, h('p', {}, button('Cancel', cancel)));
  let now = what;
  const draw = () => {
    const seconds = Math.round((performance.now() - begun) / 1000);
    told.textContent = seconds > 1 ? `${now}, ${seconds} s` : now;
  };
  const ticking = setInterval(() => (node.isConnected ? draw() : clearInterval(ticking)), 1000);
  fill(parent, node);
  return ({ stage, done, total }) => {
    now = `${stage}: ${done}${total ? ` of ${total}` : ''}`;
    if (total) bar.value = done / total;
    draw();
  };
}
