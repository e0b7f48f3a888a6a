// Pointing at a marked word lights its partners; pointing at a document fades what of the claim it does not match.
const all = selector => [...document.querySelectorAll(selector)];
const names = mark => mark.dataset.partners.split(' ');
const partners = mark => names(mark).flatMap(name => all('[data-name~="' + name + '"]'));
function light(mark) {
  all('mark.lit').forEach(other => other.classList.remove('lit'));
  if (mark) { mark.classList.add('lit'); partners(mark).forEach(other => other.classList.add('lit')); }
}
function only(article) {
  all('aside mark').forEach(mark => mark.classList.toggle('faint',
    article !== null && !names(mark).some(name => name.startsWith(article.id + '-'))));
}
for (const kind of ['mouseover', 'focusin']) document.addEventListener(kind, event => {
  light(event.target.closest('mark'));
  if (!event.target.closest('aside')) only(event.target.closest('article'));
});
