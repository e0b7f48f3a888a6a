// Filters: what may be found at all. The fields go to the server as they are; it makes the filters of a search of them.
import { field, h } from './dom.js';

/** What stands between the values of a field. */
const BETWEEN = { applicant: /;/, class: /[,;]/, country: /[,;\s]/, year: /[,;]/ };
const NAMES = { before: 'before', year: 'published', class: 'class', country: 'country', applicant: 'applicant', must: 'with', not: 'without', not_family_of: 'without the family of', filter: '' };
const valuesIn = (name, text) => text.split(BETWEEN[name]).map(part => part.trim()).filter(Boolean);

/** Makes the fields. `changed` is called after each change. */
export function filterFields(changed) {
  const input = attributes => h('input', { type: 'text', oninput: changed, autocomplete: 'off', maxlength: 2000, ...attributes });
  const fields = {
    before: input({ placeholder: '2001-05-17', inputmode: 'numeric' }),
    year: input({ placeholder: '1999..2001' }),
    class: input({ placeholder: 'H04N, G06F 3' }),
    country: input({ placeholder: 'EP, WO' }),
    applicant: input({ placeholder: 'Bosch; Siemens' }),
    must: input({ placeholder: 'phase change, coil' }),
    not: input({ placeholder: 'lead-acid' }),
    not_family_of: input({ placeholder: 'EP-1246167-A1' }),
    filter: input({ placeholder: 'battery near/5 lithium* not pa:Bosch' }),
  };
  const undated = h('input', { type: 'checkbox', onchange: changed, id: 'undated' });
  const expression = field('Expression', fields.filter, 'and or not ( ) "phrase" near/5 adj/3 * ? ti: ab: cl: desc: pa: in: ipc: cpc: pd:1999..2001; alone or beside a claim');
  expression.classList.add('whole');
  const node = h('div', { class: 'filters' }, expression,
    h('div', {}, field('Published before', fields.before), h('label', { class: 'check' }, undated, ' include undated')),
    field('Published in', fields.year), field('Class (IPC, CPC)', fields.class), field('Country', fields.country), field('Applicant', fields.applicant),
    field('Must have', fields.must, 'words or phrases, with commas'), field('Must not have', fields.not, 'with commas'),
    field('Exclude families of', fields.not_family_of));
  return {
    node,
    values: () => ({ ...Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, one.value.trim()])), undated: undated.checked }),
    set(values = {}) {
      for (const [name, one] of Object.entries(fields)) one.value = values[name] || '';
      undated.checked = Boolean(values.undated);
    },
    /** What is filled in, in short. */
    text() { return Object.entries(fields).filter(([, one]) => one.value.trim()).map(([name, one]) => `${NAMES[name]} ${one.value.trim()}`.trim()).join(' · '); },
    /** Adds a value of a facet to its field, or takes it away again. */
    toggle(name, value) {
      const values = valuesIn(name, fields[name].value);
      fields[name].value = (values.includes(value) ? values.filter(one => one !== value) : [...values, value]).join('; ');
    },
    has: (name, value) => valuesIn(name, fields[name].value).includes(value),
  };
}

/** Whether what is filled in can be searched for without a claim. */
export const standAlone = values => ['filter', 'class', 'country', 'applicant', 'year'].some(name => values[name]);
