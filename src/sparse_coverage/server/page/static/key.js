// The key of a server that wants one: asked for once, kept until the window is closed, never in an address.
import { ask } from './dialog.js';
import { field, h } from './dom.js';

let asking = null;

/** Asks for the key. All requests that need it wait for the one dialog. */
export function askKey(again) {
  asking ||= (async () => {
    const input = h('input', { type: 'password', autocomplete: 'off', required: true });
    const told = again ? 'That key is not the right one.' : 'This server wants a key. Whoever runs it can tell you.';
    const given = await ask('Key', [h('p', {}, told), field('Key', input)], { confirm: 'Go on', must: true });
    if (given) sessionStorage.setItem('key', input.value.trim());
  })().finally(() => { asking = null; });
  return asking;
}
