// Filters: what may be found at all. The fields of the form become what the server takes.
import { field, h } from './dom.js';

const list = text => text.split(/[;\n]|,(?!\d)|(?<!\d),/).map(part => part.trim()).filter(Boolean);
const quoted = value => (/^[\p{L}\p{N}_.*-]+$/u.test(value) ? value : `"${value.replaceAll('"', '')}"`);
const NAMES = { class: 'class', country: 'country', applicant: 'applicant', year: 'published' };

/** Makes the fields. `changed` is called after each change. */
export function filterFields(changed) {
  const input = attributes => h('input', { type: 'text', oninput: changed, autocomplete: 'off', ...attributes });
  const fields = {
    before: input({ placeholder: '2001-05-17', inputmode: 'numeric' }),
    class: input({ placeholder: 'H04N, G06F 3' }),
    country: input({ placeholder: 'EP, WO' }),
    applicant: input({ placeholder: 'Bosch' }),
    must: input({ placeholder: 'phase change, coil' }),
    not: input({ placeholder: 'lead-acid' }),
    not_family_of: input({ placeholder: 'EP-1246167-A1' }),
    filter: input({ placeholder: 'battery near/5 lithium* not pa:Bosch' }),
  };
  const undated = h('input', { type: 'checkbox', onchange: changed, id: 'undated' });
  const node = h('div', { class: 'filters' },
    h('div', {}, field('Published before', fields.before), h('label', { class: 'check' }, undated, ' include undated')),
    field('Class (IPC, CPC)', fields.class), field('Country', fields.country), field('Applicant', fields.applicant),
    field('Must have', fields.must, 'words or phrases, with commas'), field('Must not have', fields.not, 'with commas'),
    field('Exclude families of', fields.not_family_of), field('Expression', fields.filter, 'and or not ( ) "phrase" near/5 adj/3 * ? ti: ab: cl: desc: pa: in: ipc: cpc: pd:1999..2001; alone or beside a claim'));
  return {
    node,
    values: () => ({ ...Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, one.value.trim()])), undated: undated.checked }),
    set(values = {}) {
      for (const [name, one] of Object.entries(fields)) one.value = values[name] || '';
      undated.checked = Boolean(values.undated);
    },
    /** What is filled in, in short. */
    text() { return Object.entries(fields).filter(([, one]) => one.value.trim()).map(([name, one]) => `${name.replaceAll('_', ' ')} ${one.value.trim()}`).join(' · '); },
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
