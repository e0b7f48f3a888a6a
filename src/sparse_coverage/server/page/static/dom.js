// Building elements. Texts become text nodes, never markup: whatever a patent holds, it is shown as it stands.

/** Controls, and what turns the order of the letters after it. */
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;

/** A text without them. */
export const plain = text => String(text).replace(HIDDEN, '');

/** Makes an element. `on…` attributes are listeners; null, undefined and false leave an attribute out. */
export function h(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (name in made && typeof value === 'boolean') made[name] = value;
    else made.setAttribute(name, value === true ? '' : value);
  }
  add(made, children);
  return made;
}

/** Puts children into an element; lists are taken apart, nothing is left out but null, undefined and false. */
export function add(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : plain(child));
  }
  return parent;
}

/** Replaces what an element holds. */
export function fill(parent, ...children) {
  parent.replaceChildren();
  return add(parent, children);
}

export const byId = id => document.getElementById(id);

/** A button with a text. */
export const button = (text, onclick, attributes = {}) => h('button', { type: 'button', onclick, ...attributes }, text);

/** A link to another site, which learns nothing of where it was followed from. */
export const outside = (text, href) => h('a', { href, target: '_blank', rel: 'noreferrer noopener' }, text);

let counted = 0;
/** A new id, to tie a label to its field. */
export const newId = () => `n${++counted}`;

/** A field with its label above it. */
export function field(label, input, hint) {
  input.id ||= newId();
  const told = hint ? h('small', { id: `${input.id}-hint` }, hint) : null;
  if (told) input.setAttribute('aria-describedby', told.id);
  return h('div', { class: 'field' }, h('label', { for: input.id }, label), input, told);
}

/** Calls a function once things have been quiet for so many milliseconds; `flush` calls it now if it was to be called. */
export function quietly(work, milliseconds) {
  let timer = null;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => { timer = null; work(); }, milliseconds);
  };
  later.flush = () => {
    if (timer === null) return undefined;
    clearTimeout(timer);
    timer = null;
    return work();
  };
  return later;
}
