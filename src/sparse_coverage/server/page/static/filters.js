// Filters: what may be found at all. The fields of the form become what the server takes, and sentences for people.
import { field, h } from './dom.js';

const list = text => text.split(/[;\n]/).map(part => part.trim()).filter(Boolean);
const quoted = value => (/^[\p{L}\p{N}_.*-]+$/u.test(value) ? value : `"${value.replaceAll('"', '')}"`);
const NAMES = { ipc: 'class', country: 'country', applicant: 'applicant', year: 'published' };

/** Makes the fields. `changed` is called after each change. */
export function filterFields(changed) {
  const input = attributes => h('input', { type: 'text', oninput: changed, autocomplete: 'off', ...attributes });
  const fields = {
    before: input({ placeholder: '2001-05-17', inputmode: 'numeric' }),
    class: input({ placeholder: 'H04N, G06F 3' }),
    country: input({ placeholder: 'EP, WO' }),
    applicant: input({ placeholder: 'Bosch' }),
    must: input({ placeholder: 'phase change; coil' }),
    not: input({ placeholder: 'lead-acid' }),
    not_family_of: input({ placeholder: 'EP-1246167-A1' }),
    filter: input({ placeholder: 'kind:B and not country:US' }),
  };
  const undated = h('input', { type: 'checkbox', onchange: changed, id: 'undated' });
  const why = h('small', { class: 'why' });
  const node = h('div', { class: 'filters' },
    h('div', {}, field('Published before', fields.before), why, h('label', { class: 'check' }, undated, ' also what has no date')),
    field('Class (IPC, CPC)', fields.class), field('Country', fields.country), field('Applicant', fields.applicant),
    field('Must have', fields.must, 'words or phrases, ; between them'), field('Must not have', fields.not, '; between them'),
    field('Not of the family of', fields.not_family_of), field('Expression', fields.filter, 'as on the command line'));
  return {
    node,
    /** Sets the date, and says why it is set. */
    before(date, told) { fields.before.value = date; why.textContent = told; },
    leaveOut(id) { if (!list(fields.not_family_of.value).includes(id)) fields.not_family_of.value = [...list(fields.not_family_of.value), id].join('; '); },
    values: () => ({ ...Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, one.value.trim()])), undated: undated.checked, why: why.textContent }),
    set(values = {}) {
      for (const [name, one] of Object.entries(fields)) one.value = values[name] || '';
      undated.checked = Boolean(values.undated);
      why.textContent = values.why || '';
    },
    /** Adds a value of a facet, or takes it away again. */
    toggle(facet, value) {
      const name = NAMES[facet];
      if (name === 'published') {
        const asked = `published:${value}`;
        const parts = fields.filter.value.split(' and ').map(part => part.trim()).filter(Boolean);
        fields.filter.value = (parts.includes(asked) ? parts.filter(part => part !== asked) : [...parts, asked]).join(' and ');
      } else {
        const values = fields[name].value.split(/[,;]/).map(part => part.trim()).filter(Boolean);
        fields[name].value = (values.includes(value) ? values.filter(one => one !== value) : [...values, value]).join(name === 'applicant' ? '; ' : ', ');
      }
    },
    has(facet, value) {
      const name = NAMES[facet];
      return name === 'published' ? fields.filter.value.includes(`published:${value}`)
        : fields[name].value.split(/[,;]/).map(part => part.trim()).includes(value);
    },
  };
}

/** What the server takes. */
export function filtersOf(values) {
  const expressions = [];
  const any = (name, text, between) => {
    const parts = (text || '').split(between).map(part => part.trim()).filter(Boolean);
    if (parts.length) expressions.push(`${name}:${parts.map(quoted).join(',')}`);
  };
  any('class', values.class, /[,;]/);
  any('country', values.country, /[,;\s]/);
  any('applicant', values.applicant, /;/);
  if (values.filter) expressions.push(expressions.length ? `(${values.filter})` : values.filter);
  return {
    before: values.before || null,
    undated: values.undated ? 'keep' : 'drop',
    not_family_of: list(values.not_family_of || ''),
    must: list(values.must || ''),
    any: [],
    not: list(values.not || ''),
    filter: expressions.join(' and ') || null,
  };
}

/** The filters of a request in words; the empty text where there are none. */
export function filtersText(filters = {}) {
  const said = [
    filters.before && `before ${filters.before}`, filters.filter,
    filters.must?.length && `with ${filters.must.join(', ')}`, filters.not?.length && `without ${filters.not.join(', ')}`,
    filters.not_family_of?.length && `not the family of ${filters.not_family_of.join(', ')}`,
  ];
  return said.filter(Boolean).join(' · ');
}
