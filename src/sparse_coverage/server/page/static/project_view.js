// The project: its name and note, what was marked, the history of searches, exports; and the other projects.
import { download, get, upload } from './api.js';
import { chartedWith } from './chart_view.js';
import { ask } from './dialog.js';
import { button, field, fill, h, quietly } from './dom.js';
import { markButtons, noteOf } from './document_parts.js';
import { createProject, deleteProject, openProject, renameProject, searchNew, showChart, showSearch, workOn } from './project.js';
import { whenMade } from './results.js';
import { complain, failed, notice, say, state } from './status.js';
import { LABELS, ofClaim, on, store, titleOf } from './store.js';


/** Makes the view once. */
export function projectView(actions) {
  const head = h('section', { class: 'project-head' });
  const marked = h('section', {});
  const history = h('section', {});
  const others = h('section', {});
  const node = h('div', { class: 'project' }, head, marked, history, others);
  const file = h('input', { type: 'file', accept: '.json', class: 'hidden-file', tabindex: '-1', 'aria-label': 'A project that was backed up', onchange: () => bring() });

  /** What goes into a report: the searches, marks, notes, and which charts. */
  const parts = h('div', { class: 'row wrap parts', role: 'group', 'aria-label': 'What goes in' });
  function drawParts() {
    const off = new Set([...parts.querySelectorAll('input:not(:checked)')].map(one => one.name));
    const check = (name, text) => h('label', { class: 'check' }, h('input', { type: 'checkbox', name, checked: !off.has(name) }), ' ', text);
    fill(parts, check('searches', 'searches'), check('marks', 'marks'), check('notes', 'notes'), store.charts.map(one => check(`chart ${one.number}`, `chart ${one.number}, ${whenMade(one.made)}`)));
  }

  function wanted() {
    const on = name => parts.querySelector(`[name="${name}"]`).checked;
    const charts = store.charts.map(one => one.number).filter(number => on(`chart ${number}`));
    return new URLSearchParams({ searches: on('searches'), marks: on('marks'), notes: on('notes'), charts: charts.join(',') });
  }

  function drawHead() {
    if (!store.project) {
      fill(head, h('h1', {}, 'Project'), state('No project yet', 'The first search begins one. Or name one here, or restore one.'));
      return;
    }
    if (head.contains(document.activeElement)) return; // someone types there
    const name = h('input', { type: 'text', maxlength: 200, required: true });
    const note = h('textarea', { rows: 2 });
    name.value = store.project.name;
    note.value = store.project.note;
    const save = quietly(() => { if (name.value.trim()) renameProject(name.value.trim(), note.value); }, 600);
    name.oninput = note.oninput = save;
    name.onblur = note.onblur = () => save.flush();
    fill(head, h('h1', {}, 'Project'),
      store.kept ? null : h('p', { class: 'warning' }, 'This server keeps no projects: what you do here ends with it. Start it with --projects FOLDER to keep them, or export this one.'),
      h('div', { class: 'row bottom' }, field('Name', name), field('Note', note)),
      h('h2', {}, 'Export'), parts,
      h('p', { class: 'row wrap' }, Object.entries(LABELS.exports).map(([kind, title]) => button(title, () => fetchFile(`report.${kind}?${wanted()}`), { class: kind === 'docx' ? 'primary' : '' }))),
      h('p', { class: 'dim small' }, 'Marks, notes, the history of searches, charts and your assessments in them. RIS and BibTeX hold the documents marked relevant.'),
      h('p', { class: 'row wrap' }, button('Back up project', () => fetchFile('export'))));
  }

  function drawMarked() {
    const said = ofClaim(store.marks).filter(one => one.mark || one.note || one.category);
    const claims = [...store.claims.values()];
    fill(marked, claims.length > 1 ? [h('h2', {}, 'Claims'), h('p', { class: 'dim' }, 'Marks, assessments and charts belong to the claim that they were made for.'),
      h('ul', { class: 'marked-list' }, claims.map(one => h('li', {}, button(one.number === store.claim ? 'Shown' : 'Show', () => workOn(one.number).catch(complain), { 'aria-pressed': String(one.number === store.claim), 'aria-label': `Work on the claim: ${one.text.slice(0, 80)}` }), ' ', h('span', { class: 'clip' }, one.text))))] : null,
    h('h2', {}, 'Marked and noted'), said.length ? h('ul', { class: 'marked-list' }, said.map(one => h('li', {},
      h('a', { href: `#/document/${encodeURIComponent(one.index)}/${encodeURIComponent(one.document)}${one.passage ? `/${encodeURIComponent(one.id)}` : ''}` }, one.id),
      h('span', { class: 'grow title-of' }, titleOf(one.index, one.document)), one.category ? h('b', { title: 'Category of a search report' }, one.category) : null, markButtons(one.index, one.id, one.id), noteOf(one.index, one.id))))
      : h('p', { class: 'dim' }, 'Nothing yet. In the results, r marks a document relevant, n not, e writes a note.'));
  }

  function drawHistory() {
    fill(history, h('h2', {}, 'Searches'), store.searches.length ? h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Searches' }, h('table', {},
      h('thead', {}, h('tr', {}, ['', 'When', 'Query', 'Filters', 'Ranking', 'Found'].map(one => h('th', { scope: 'col' }, one)))),
      h('tbody', {}, [...store.searches].reverse().map(one => h('tr', {},
        h('td', {}, button('Show', async () => { await showSearch(one.number); actions.go('search'); }, { 'aria-label': `Show search ${one.number}` }), ' ', button('What is new', () => whatIsNew(one), { class: 'quiet', 'aria-label': `What is new for search ${one.number}` })),
        h('td', { class: 'when' }, whenMade(one.made)),
        h('td', {}, h('div', { class: 'query' }, one.history.query)),
        h('td', {}, one.history.filters === 'none' ? 'no filters' : one.history.filters),
        h('td', {}, `${one.history.ranking}, ${one.index}`),
        h('td', { class: 'number' }, one.history.found))))))
      : h('p', { class: 'dim' }, 'None yet.'),
    store.charts.length ? [h('h2', {}, 'Charts'), h('ul', { class: 'marked-list' }, [...store.charts].reverse().map(one => h('li', {},
      button('Show', async () => { await showChart(one.number); actions.go('chart'); }, { 'aria-label': `Show chart ${one.number}` }), ' ',
      whenMade(one.made), ` · ${chartedWith(one.request)} `, h('span', { class: 'dim clip' }, one.request.claim || ''))))] : null);
  }

  /** Searches again over what came into the index since, and shows it. */
  async function whatIsNew(one) {
    try {
      const made = await searchNew(one.number);
      say(`New since ${whenMade(one.made)}: ${made.documents}.`);
      actions.go('search');
    } catch (error) { complain(error); }
  }

  async function drawOthers() {
    try {
      const { projects } = await get('/v1/projects');
      fill(others, h('h2', {}, 'Projects'), h('ul', { class: 'marked-list' }, projects.map(one => h('li', {},
        one.head ? [one.id === store.project?.id ? h('b', {}, one.head.name) : button(one.head.name, () => openProject(one.id).catch(complain), { class: 'quiet' }),
          h('span', { class: 'dim' }, ` changed ${whenMade(one.head.changed)}`)]
          : h('span', { class: 'wrong' }, one.problem)))),
      h('p', { class: 'row wrap' }, button('New project', create), button('Restore a project', () => file.click()), file,
        h('span', { class: 'grow' }), store.project ? button('Delete this project', remove, { class: 'danger' }) : null));
    } catch (error) { fill(others, failed(error, drawOthers)); }
  }

  async function create() {
    const name = h('input', { type: 'text', required: true, maxlength: 200 });
    if (await ask('New project', [field('Name', name)], { confirm: 'Begin' }) && name.value.trim()) {
      await createProject(name.value.trim()).catch(complain);
      actions.go('search');
    }
  }

  async function bring() {
    try {
      const made = await upload('/v1/projects/import', file.files[0]);
      await openProject(made.head.id);
      say(`Restored as ${made.head.name}.`);
    } catch (error) { complain(error); }
    file.value = '';
  }

  async function remove() {
    const told = `“${store.project.name}” goes with its searches, marks, notes and charts. This cannot be undone; back it up first if you may want it again.`;
    if (await ask('Delete this project?', [h('p', {}, told)], { confirm: 'Delete', danger: true })) await deleteProject().catch(complain);
  }

  async function fetchFile(rest) {
    try {
      say('Writing the file…');
      say(`Written: ${await download(`/v1/projects/${store.project.id}/${rest}`)}`);
    } catch (error) { notice('export', `${error.message} ${error.whatToDo || ''}`); }
  }

  const draw = () => { drawParts(); drawHead(); drawMarked(); drawHistory(); drawOthers(); };
  on('project', () => { if (node.isConnected) { drawHead(); drawOthers(); } });
  on('marks', () => { if (node.isConnected) drawMarked(); });
  on('history', () => { if (node.isConnected) { drawParts(); drawHistory(); } });
  return { node, draw };
}
