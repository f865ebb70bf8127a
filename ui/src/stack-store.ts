// What the page knows of one stack: its summary, resources and events, kept fresh by the stream.
import { type Api, ApiError, type Event, isPassing, type Resource, RETRY, type Stack, stackPath } from './api';
import { type Connection, follow } from './live';
import { plain } from './widgets';

export const DEPTH = 5;
const EVENTS = 200;
const MOST_EVENTS = 5000;

/** The identity of the stack that an object belongs to, by its links. */
export function ownStack(links: { href: string; rel: string }[], rel = 'stack'): { name: string; id: string } | null {
  const found = links.find((link) => link.rel === rel)?.href.match(/\/stacks\/([^/]+)\/([^/?#]+)/);
  return found ? { name: decodeURIComponent(found[1]), id: decodeURIComponent(found[2]) } : null;
}

export interface Node extends Resource { key: string; stackId: string; stackName: string; nestedId: string | null; nestedName: string | null }

export function nodeOf(resource: Resource): Node {
  const own = ownStack(resource.links), nested = ownStack(resource.links, 'nested');
  const stackId = own?.id ?? '';
  return {
    ...resource, stackId, stackName: own?.name ?? '', nestedId: nested?.id ?? null,
    nestedName: nested?.name ?? null, key: `${stackId}/${resource.resource_name}`,
  };
}

/** The begin of the key of a folded group in the graph; the rest is the key of its first member. */
export const FOLDED = 'folded ';

/** The path of a resource through the resources that contain it: ``group/1/db``. */
export function pathOf(nodes: Map<string, Node>, stackId: string, name: string): string {
  const owners = new Map([...nodes.values()].flatMap((node): [string, Node][] => (node.nestedId ? [[node.nestedId, node]] : [])));
  const path = [name];
  for (let owner = owners.get(stackId); owner && path.length < 20; owner = owners.get(owner.stackId)) path.unshift(owner.resource_name);
  return path.map(plain).join('/');
}

export const isBusy = (status: string | undefined): boolean => !!status && status.endsWith('IN_PROGRESS');
export const isFailed = (status: string | undefined): boolean => !!status && status.endsWith('FAILED');

export class StackStore {
  stack: Stack | null = null;
  nodes: Map<string, Node> = new Map();
  events: Event[] = [];
  hasEarlier = false;
  connection: Connection = 'connecting';
  error: ApiError | null = null;
  /** Rises with each change; views that draw by hand compare it. */
  version = 0;
  private seen = new Set<string>();
  private listeners = new Set<() => void>();
  private stopFollowing: () => void = () => {};
  private frame = 0;
  private reading = false;
  private again = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;
  private resourcesStale = true;
  private eventsStale = true;

  constructor(readonly api: Api, readonly name: string, readonly id: string) {}

  start(): void {
    this.stopped = false;
    this.stopFollowing = follow(this.api, stackPath(this.name, this.id, 'events'), DEPTH, {
      event: (event) => this.take(event),
      refresh: () => { this.resourcesStale = true; this.eventsStale = true; this.refresh(); },
      state: (state) => { this.connection = state; this.notify(); },
      busy: () => isBusy(this.stack?.stack_status),
    });
    this.refresh();
  }

  stop(): void {
    this.stopped = true;
    this.stopFollowing();
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private notify(): void {
    this.version += 1;
    if (this.frame || this.stopped) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.listeners.forEach((listener) => listener());
    });
  }

  /** Take an event of the stream: colour its resource at once, and read the rest soon. */
  private take(event: Event): void {
    if (!this.put([event])) return;
    this.cut();
    const own = event.stack_id ?? ownStack(event.links)?.id ?? '';
    const node = this.nodes.get(`${own}/${event.resource_name}`);
    if (node && event.physical_resource_id !== own) {
      this.nodes.set(node.key, {
        ...node, resource_status: event.resource_status, resource_status_reason: event.resource_status_reason,
        physical_resource_id: event.physical_resource_id || node.physical_resource_id,
      });
    } else {
      this.resourcesStale = true;
    }
    if (own === this.id && event.physical_resource_id === own && this.stack) {
      this.stack = { ...this.stack, stack_status: event.resource_status, stack_status_reason: event.resource_status_reason };
      this.resourcesStale = true;
    }
    this.notify();
    this.later(this.resourcesStale ? 300 : 1500);
  }

  /** Put events in their order behind the first ``at`` ones; return whether there are new ones. Events of the stream may have arrived while a list was read: they follow it. */
  private put(events: Event[], at = this.events.length): boolean {
    const later = this.events.slice(at), laterIds = new Set(later.map(({ id }) => id)), ids = new Set(events.map(({ id }) => id));
    const placed = events.filter(({ id }) => !this.seen.has(id) || laterIds.has(id));
    const before = this.events.length;
    this.events = [...this.events.slice(0, at), ...placed, ...later.filter(({ id }) => !ids.has(id))];
    ids.forEach((id) => this.seen.add(id));
    return this.events.length > before;
  }

  /** Forget the oldest events beyond what a page can show. */
  private cut(): void {
    if (this.events.length <= MOST_EVENTS) return;
    this.events = this.events.slice(-MOST_EVENTS);
    this.hasEarlier = true;
  }

  private later(milliseconds: number): void {
    if (this.timer !== undefined || this.stopped) return;
    this.timer = setTimeout(() => { this.timer = undefined; this.refresh(); }, milliseconds);
  }

  refresh(): void {
    if (this.stopped) return;
    if (this.reading) { this.again = true; return; }
    this.reading = true;
    void this.read().finally(() => {
      this.reading = false;
      if (this.again) { this.again = false; this.later(200); }
    });
  }

  private async read(): Promise<void> {
    const path = (...rest: string[]) => stackPath(this.name, this.id, ...rest);
    try {
      const stale = this.resourcesStale;
      this.resourcesStale = false;
      const [shown, listed] = await Promise.all([
        this.api.get<{ stack: Stack }>(path(), { resolve_outputs: false }),
        stale ? this.api.get<{ resources: Resource[] }>(path('resources'), { nested_depth: DEPTH }) : null,
        this.readEvents(path('events')),
      ]);
      this.stack = shown.stack;
      if (listed) this.nodes = new Map(listed.resources.map((each) => nodeOf(each)).map((node) => [node.key, node]));
      this.error = null;
    } catch (error) {
      this.resourcesStale = true;
      this.eventsStale = true;
      this.error = error as ApiError;
      if (this.connection !== 'polling' && isPassing(error)) this.later(RETRY);
    }
    this.notify();
  }

  /** Read the newest events at first; later those after the last known one. */
  private async readEvents(path: string): Promise<void> {
    const last = this.events.at(-1);
    if (last && this.connection === 'live' && !this.eventsStale) return;
    this.eventsStale = false;
    if (!last) {
      const query = { nested_depth: DEPTH, limit: EVENTS, sort_dir: 'desc' };
      const found = (await this.api.get<{ events: Event[] }>(path, query)).events;
      this.hasEarlier = found.length === EVENTS;
      this.put(found.reverse(), 0);
      return;
    }
    const query = { nested_depth: DEPTH, marker: last.id, limit: 1000 };
    try {
      const { events } = await this.api.get<{ events: Event[] }>(path, query);
      this.put(events, this.events.indexOf(last) + 1);
      this.cut();
    } catch (error) {
      if ((error as ApiError).status !== 400 && (error as ApiError).status !== 404) throw error;
      this.events = [];
      this.seen.clear();
    }
  }

  async earlier(): Promise<void> {
    const first = this.events[0];
    if (!first) return;
    const query = { nested_depth: DEPTH, limit: EVENTS, sort_dir: 'desc', marker: first.id };
    const found = (await this.api.get<{ events: Event[] }>(stackPath(this.name, this.id, 'events'), query)).events;
    this.hasEarlier = found.length === EVENTS;
    this.put(found.reverse(), 0);
    this.notify();
  }
}
