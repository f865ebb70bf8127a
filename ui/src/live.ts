// News of stacks: the stream of events where the service has one, else a clock for polling.
import type { Api, Event } from './api';

export type Connection = 'connecting' | 'live' | 'polling' | 'broken';

export interface Listener {
  /** An event of the stream, exactly once for each. */
  event(event: Event): void;
  /** Read again: after a break, and at each turn of the clock without a stream. */
  refresh(): void;
  state(state: Connection): void;
  /** Whether something is in progress, so that the clock runs fast. */
  busy(): boolean;
}

const FAST = 1000, SLOW = 5000, LONGEST_PAUSE = 5000;
// Without a message for so long, heartbeats included, the connection is dead.
const SILENCE = 60000;

/** Follow the events below a path until the returned function is called. */
export function follow(api: Api, path: string, depth: number | undefined, listener: Listener): () => void {
  const stop = new AbortController();
  void run(api, path, depth, listener, stop.signal);
  return () => stop.abort();
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => { clearTimeout(timer); resolve(); }, { once: true });
  });
}

async function run(api: Api, path: string, depth: number | undefined, listener: Listener, signal: AbortSignal): Promise<void> {
  let last = '';
  let wait = 250;
  listener.state('connecting');
  while (!signal.aborted) {
    const turn = new AbortController();
    const abort = () => turn.abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      const headers = api.headers({ Accept: 'text/event-stream' });
      const query = { nested_depth: depth, last_event_id: last };
      const response = await fetch(api.url(path, query), { headers, cache: 'no-store', signal: turn.signal });
      if (response.status === 401) { api.onUnauthorized(); return; }
      const kind = response.headers.get('Content-Type') ?? '';
      if (!response.ok || !kind.startsWith('text/event-stream') || !response.body) {
        turn.abort();
        if (response.status >= 500) throw new Error('the service is away, or the stream is full');
        if (response.status === 404 && path.includes('/')) listener.refresh();
        return await poll(listener, signal);
      }
      listener.state('live');
      listener.refresh();
      wait = 250;
      await read(response.body, (id, name, data) => {
        if (id) last = id;
        if (name === 'event' || name === '') deliver(listener, data);
        else if (name === 'gap') listener.refresh();
        else if (name === 'error') refused(api, data);
      }, turn);
    } catch {
      if (signal.aborted) return;
    } finally {
      signal.removeEventListener('abort', abort);
    }
    listener.state('broken');
    listener.refresh();
    await pause(wait, signal);
    wait = Math.min(wait * 2, LONGEST_PAUSE);
  }
}

function deliver(listener: Listener, data: string): void {
  try {
    const found = JSON.parse(data) as Event & { event?: Event };
    listener.event(found.event ?? found);
  } catch { /* a message of a later version */ }
}

/** The stream ends with an error: of a token that has expired, or of a connection to make again. */
function refused(api: Api, data: string): void {
  try {
    if ((JSON.parse(data) as { code?: number }).code === 401) api.onUnauthorized();
  } catch { /* the stream is connected again */ }
}

async function poll(listener: Listener, signal: AbortSignal): Promise<void> {
  listener.state('polling');
  while (!signal.aborted) {
    if (!document.hidden) listener.refresh();
    await pause(listener.busy() ? FAST : SLOW, signal);
  }
}

type Message = (id: string, event: string, data: string) => void;

/** Read messages of a stream until it ends, or is silent for too long. */
async function read(body: ReadableStream<Uint8Array>, message: Message, turn: AbortController): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  for (;;) {
    const guard = setTimeout(() => turn.abort(), SILENCE);
    const { done, value } = await reader.read();
    clearTimeout(guard);
    if (done) return;
    rest += value;
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    for (const block of blocks) parseBlock(block, message);
  }
}

function parseBlock(block: string, message: Message): void {
  let id = '', event = '';
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon < 1) continue;
    const value = line.slice(colon + 1).replace(/^ /, '');
    const field = line.slice(0, colon);
    if (field === 'id') id = value;
    else if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
  }
  if (data.length || event) message(id, event, data.join('\n'));
}
