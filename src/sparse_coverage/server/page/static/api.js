// Talking to the server: JSON, progress of long work, files; errors say what was wrong and what to do.
import { askKey } from './key.js';
import { say } from './status.js';

export class ApiError extends Error {
  constructor(message, { status = 0, whatToDo = '', current = null } = {}) {
    super(message);
    Object.assign(this, { status, whatToDo, current });
  }
}

const PATIENCE = 6; // how often a busy server is asked again
const part = encodeURIComponent;
/** The address of an index, and of something below it. */
export const ofIndex = (name, rest = '') => `/v1/indexes/${part(name)}${rest}`;
/** An id in an address: its slashes stay. */
export const idPath = id => id.split('/').map(part).join('/');

export const get = (path, options) => call('GET', path, undefined, options);
export const post = (path, body, options) => call('POST', path, body, options);
export const put = (path, body, options) => call('PUT', path, body, options);

/** Asks and returns the answer as a value. */
export async function call(method, path, body, options = {}) {
  const answer = await send(method, path, body, options);
  return answer.status === 204 ? null : answer.json();
}

/** Sends a file. */
export async function upload(path, file) {
  const form = new FormData();
  form.append('file', file);
  return (await send('POST', path, form)).json();
}

/** Fetches a file, such as a drawing, and returns an address for it within this page. */
export const fetched = async path => URL.createObjectURL(await (await send('GET', path, undefined, { accept: '*/*' })).blob());

/** Fetches a file and gives it to the browser to keep. */
export async function download(path) {
  const answer = await send('GET', path);
  const name = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') || '')?.[1] || 'report';
  const address = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  return name;
}

/** Asks for long work; `onProgress` hears {stage, done, total}. Aborting the signal ends the work on the server. */
export async function stream(path, body, onProgress, signal) {
  const answer = await send('POST', path, body, { signal, accept: 'text/event-stream' });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new ApiError('The server ended before the work was done.', { whatToDo: 'Try again.' });
    const events = (rest + value).split('\n\n');
    rest = events.pop();
    for (const event of events) {
      const name = /^event: (.*)$/m.exec(event)?.[1];
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (name === 'progress') onProgress(JSON.parse(data));
      if (name === 'result') return JSON.parse(data);
      if (name === 'error') throw errorOf(JSON.parse(data), 0);
    }
  }
}

async function send(method, path, body, { signal, accept = 'application/json' } = {}) {
  for (let tried = 0; ; tried++) {
    const headers = { accept, 'x-sparse-coverage': '1' };
    const key = sessionStorage.getItem('key');
    if (key) headers.authorization = `Bearer ${key}`;
    const isForm = body instanceof FormData;
    if (body !== undefined && !isForm) headers['content-type'] = 'application/json';
    let answer;
    try {
      answer = await fetch(path, { method, headers, signal, body: isForm || body === undefined ? body : JSON.stringify(body) });
    } catch (error) {
      if (error.name === 'AbortError') throw error;
      throw new ApiError('The server does not answer.', { whatToDo: 'Is it still running? Start it again, then try again; nothing that was saved is lost.' });
    }
    if (answer.ok) return answer;
    if (answer.status === 401) {
      await askKey(tried > 0);
      continue;
    }
    if (answer.status === 429 && tried < PATIENCE) {
      const seconds = Number(answer.headers.get('retry-after')) || 1;
      say(`The server is busy; asking again in ${seconds} s.`);
      await new Promise(resolve => setTimeout(resolve, seconds * 1000));
      continue;
    }
    throw errorOf(await answer.json().catch(() => ({})), answer.status);
  }
}

function errorOf(record, status) {
  const told = record.error || { message: `The server answered with ${status}.` };
  return new ApiError(told.message, { status, whatToDo: told.what_to_do, current: record.current });
}
