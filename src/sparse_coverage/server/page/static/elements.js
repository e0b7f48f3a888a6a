// The elements of a claim: where they stand in a text, and lines that a user splits and joins.

const escaped = text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const pattern = text => new RegExp(text.trim().split(/\s+/).map(escaped).join('\\s+'), 'u');

/** Finds elements in a text one after the other; blanks and line ends are all the same. Places count characters as the server does. */
export function placesIn(text, elements) {
  const found = [];
  let after = 0;
  for (const element of elements) {
    const match = pattern(element.text).exec(text.slice(after)) || null;
    if (!match) continue;
    const start = after + match.index;
    after = start + match[0].length;
    found.push({ ...element, start: [...text.slice(0, start)].length, end: [...text.slice(0, after)].length });
  }
  return found;
}

/** Reads elements as lines, each in the words of the claims and in their order. Returns them, or which line is wrong. */
export function readLines(lines, claims) {
  const elements = [];
  let place = 0;
  let after = 0;
  const counts = new Map();
  for (const [row, line] of lines.split('\n').entries()) {
    if (!line.trim()) continue;
    let match = null;
    while (place < claims.length) {
      match = pattern(line).exec(claims[place].text.slice(after));
      if (match) break;
      place++;
      after = 0;
    }
    if (!match) return { wrong: row + 1, line: line.trim() };
    after += match.index + match[0].length;
    const number = claims[place].number;
    const count = counts.get(number) || 0;
    counts.set(number, count + 1);
    elements.push({ label: `${number}${letters(count)}`, claim: number, text: match[0] });
  }
  return { elements };
}

/** What share of each element's weight in a hit's passages there is, beside the best hit: a list in the order of the elements. */
export function coverage(result, elements) {
  const places = placesIn(result.query, elements);
  const sums = new Map();
  for (const hit of result.hits) {
    const best = new Map(); // the strongest that any passage shown has for a phrase
    for (const passage of hit.passages) {
      for (const reason of result.reasons[passage.id]?.phrases || []) {
        const at = reason.query.start;
        best.set(at, Math.max(best.get(at) || 0, reason.contribution));
      }
    }
    sums.set(hit.document, places.map(place =>
      [...best].reduce((sum, [at, value]) => sum + (at >= place.start && at < place.end ? value : 0), 0)));
  }
  const most = places.map((_, number) => Math.max(0, ...[...sums.values()].map(values => values[number])));
  return {
    elements: places,
    of: document => (sums.get(document) || []).map((value, number) => (most[number] ? value / most[number] : 0)),
  };
}

function letters(number) {
  let found = '';
  for (let left = number + 1; left; left = Math.floor((left - 1) / 26)) found = String.fromCharCode(97 + (left - 1) % 26) + found;
  return found;
}

/** The numbers in a list such as 1,3-5; null where it is empty. */
export function claimNumbers(wanted) {
  if (!wanted.trim()) return null;
  const numbers = new Set();
  for (const part of wanted.split(',')) {
    const [first, last] = part.split(/[-–]/).map(text => Number.parseInt(text, 10));
    for (let number = first; number <= (last || first); number++) numbers.add(number);
  }
  return numbers;
}
