// The list of stacks: live, filtered, nested ones folded below their parents.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Api, isPassing, RETRY, type Stack, stackPath } from './api';
import { type Connection, follow } from './live';
import { go, href, type Route } from './router';
import { isBusy } from './stack-store';
import { type Draft } from './compose';
import { draftKeys, dropDraft, readDraft } from './drafts';
import { Age, type Column, Confirm, Empty, ErrorNote, Export, Heads, oneWay, type Order, ordered, plain, Status } from './widgets';

const PAGE = 200;
/** So many stacks are searched for a part of a name, which the API does not filter by. */
const SEARCHED = 5000;
const STATES = ['', 'progress', 'failed', 'complete'] as const;
const STATUSES: Record<string, string> = { progress: 'IN_PROGRESS', failed: 'FAILED', complete: 'COMPLETE' };
const LABELS: Record<string, string> = { '': 'All', progress: 'In progress', failed: 'Failed', complete: 'Complete' };

interface Row { stack: Stack; depth: number; children: number }

const COLUMNS: Column<Stack>[] = [
  { label: 'Name', value: (each) => each.stack_name }, { label: 'Status', value: (each) => each.stack_status },
  { label: 'Reason', value: (each) => each.stack_status_reason, class: 'wide' }, { label: 'Tags', value: (each) => (each.tags ?? []).join(' '), class: 'wide' },
  { label: 'Changed', value: (each) => each.updated_time ?? each.creation_time }, { label: 'Created', value: (each) => each.creation_time, class: 'wide' },
];

/** The stacks in the order of the list; children below their parent if it is open. */
function tree(stacks: Stack[], open: Set<string>): Row[] {
  const ids = new Set(stacks.map((stack) => stack.id));
  const below = new Map<string, Stack[]>();
  for (const stack of stacks) {
    const parent = stack.parent && ids.has(stack.parent) ? stack.parent : '';
    below.set(parent, [...(below.get(parent) ?? []), stack]);
  }
  const rows: Row[] = [];
  const visit = (parent: string, depth: number) => {
    for (const stack of below.get(parent) ?? []) {
      rows.push({ stack, depth, children: below.get(stack.id)?.length ?? 0 });
      if (open.has(stack.id)) visit(stack.id, depth + 1);
    }
  };
  visit('', 0);
  return rows;
}

interface Filter { nested: boolean; tags: string; state: string; searching: boolean }

export function useStacks(api: Api, { nested, tags, state, searching }: Filter) {
  const [stacks, setStacks] = useState<Stack[] | null>(null);
  const [count, setCount] = useState(0);
  const [limit, setLimit] = useState(PAGE);
  const [error, setError] = useState<unknown>(null);
  const [connection, setConnection] = useState<Connection>('connecting');
  const latest = useRef<Stack[]>([]);
  const reload = useRef<() => void>(() => {});
  useEffect(() => {
    let running = false, again = false, ended = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      if (running || ended) { again = true; return; }
      running = true;
      try {
        const found = await api.get<{ stacks: Stack[]; count?: number }>('stacks', {
          limit: searching ? SEARCHED : limit, with_count: true, show_nested: nested || undefined,
          tags: tags || undefined, status: STATUSES[state],
        });
        if (ended) return;
        latest.current = found.stacks;
        setStacks(found.stacks);
        setCount(found.count ?? found.stacks.length);
        setError(null);
      } catch (problem) {
        if (ended) return;
        setError(problem);
        if (isPassing(problem)) later(RETRY);
      } finally {
        running = false;
        if (again && !ended) { again = false; later(); }
      }
    };
    const later = (wait = 250) => { timer ??= setTimeout(() => { timer = undefined; void read(); }, wait); };
    reload.current = () => void read();
    const stop = follow(api, 'events', undefined, {
      event: (event) => {
        latest.current = latest.current.map((each) => (each.id === event.physical_resource_id
          ? { ...each, stack_status: event.resource_status, stack_status_reason: event.resource_status_reason } : each));
        setStacks(latest.current);
        later();
      },
      refresh: () => void read(), state: setConnection,
      busy: () => latest.current.some((stack) => isBusy(stack.stack_status)),
    });
    void read();
    return () => { ended = true; stop(); clearTimeout(timer); };
  }, [api, nested, tags, limit, state, searching]);
  return { stacks, count, limit, error, connection, more: () => setLimit((old) => old + PAGE), reload: () => reload.current() };
}

export function StacksView({ api, route }: { api: Api; route: Route }) {
  const query = route.query;
  const text = query.get('name') ?? '', state = query.get('state') ?? '', tags = query.get('tags') ?? '';
  const nested = query.get('nested') === '1';
  const [open, setOpen] = useState<Set<string>>(new Set());
  const [chosen, setChosen] = useState<Set<string>>(new Set());
  const [order, setOrder] = useState<Order | null>(null);
  const [deleting, setDeleting] = useState(false);
  const { stacks, count, limit, error, connection, more, reload } = useStacks(api, { nested, tags, state, searching: !!text });
  const set = (change: Record<string, string>) => {
    const values = { name: text, state, tags, nested: nested ? '1' : '', ...change };
    go(href(route.project, ['stacks'], values), true);
  };
  const rows = useMemo(() => {
    const matching = (stacks ?? []).filter((stack) => stack.stack_name.toLowerCase().includes(text.toLowerCase())
      && (!state || stack.stack_status.endsWith(STATUSES[state])));
    return tree(ordered(matching, COLUMNS, order), open);
  }, [stacks, text, state, open, order]);
  const shown = rows.slice(0, text ? limit : rows.length);
  const all = text && stacks && stacks.length >= count ? rows.length : count;
  const selected = (stacks ?? []).filter((stack) => chosen.has(stack.id));
  const toggle = (old: Set<string>, id: string) => {
    const next = new Set(old);
    if (!next.delete(id)) next.add(id);
    return next;
  };
  return (
    <main>
      <div class="bar">
        <h1>Stacks <span class="count">{stacks ? all : ''}</span></h1>
        <Live connection={connection} />
        <span class="grow" />
        <a class="button primary" href={href(route.project, ['create'])}>New stack</a>
      </div>
      <div class="bar filters">
        <input type="search" aria-label="Filter by name" placeholder="Name" value={text} onInput={(event) => set({ name: event.currentTarget.value })} />
        <input type="search" aria-label="Filter by tags" placeholder="Tags, e.g. web,prod" value={tags} onChange={(event) => set({ tags: event.currentTarget.value })} />
        <div class="segments" role="group" aria-label="Filter by status">
          {STATES.map((each) => <button aria-pressed={state === each} onClick={() => set({ state: each })}>{LABELS[each]}</button>)}
        </div>
        <label class="check"><input type="checkbox" checked={nested} onChange={() => set({ nested: nested ? '' : '1' })} />Nested stacks</label>
        <span class="grow" />
        <Export name={`stacks-${route.project}`} rows={rows.map((each) => each.stack)} columns={COLUMNS} />
        {selected.length > 0 && <button class="danger" onClick={() => setDeleting(true)}>Delete {selected.length}…</button>}
      </div>
      <ErrorNote error={error} />
      <Drafts project={route.project} />
      {stacks && !rows.length && <Nothing filtered={!!(text || state || tags)} project={route.project} />}
      {rows.length > 0 && (
        <div class="scroll">
          <table class="list stacks">
            <thead><Heads columns={COLUMNS} order={order} change={setOrder} before={<th class="tick"><span class="hidden">Select</span></th>} /></thead>
            <tbody>{shown.map(({ stack, depth, children }) => (
              <tr key={stack.id}>
                <td class="tick"><input type="checkbox" aria-label={`Select ${stack.stack_name}`} checked={chosen.has(stack.id)} onChange={() => setChosen((old) => toggle(old, stack.id))} /></td>
                <td class="name" style={{ '--inset': `${depth * 20}px` }}>
                  {children > 0 && (
                    <button class="fold" aria-expanded={open.has(stack.id)} aria-label={`Nested stacks of ${stack.stack_name}`}
                      onClick={() => setOpen((old) => toggle(old, stack.id))}>{open.has(stack.id) ? '▾' : '▸'} {children}</button>
                  )}
                  <a class="clamp" title={stack.stack_name} href={href(route.project, ['stacks', stack.stack_name, stack.id])}>{stack.stack_name}</a>
                </td>
                <td><Status value={stack.stack_status} /></td>
                <td class="wide reason">{oneWay(stack.stack_status_reason)}</td>
                <td class="wide">{(stack.tags ?? []).map((tag) => <button class="tag" title={plain(tag)} onClick={() => set({ tags: tag })}>{plain(tag)}</button>)}</td>
                <td><Age time={stack.updated_time ?? stack.creation_time} /></td>
                <td class="wide"><Age time={stack.creation_time} /></td>
              </tr>
            ))}</tbody>
          </table>
        </div>
      )}
      {text && stacks && stacks.length < count && <p class="dim">The newest {stacks.length} of {count} stacks were searched.</p>}
      {stacks && (text ? shown.length < rows.length : stacks.length < count) && <button class="more" onClick={more}>Show more: {text ? shown.length : stacks.length} of {all}</button>}
      {deleting && <DeleteMany api={api} stacks={selected} onClose={() => { setDeleting(false); setChosen(new Set()); reload(); }} />}
    </main>
  );
}

/** What was begun in this tab and not sent yet. */
function Drafts({ project }: { project: string }) {
  const [, redraw] = useState(0);
  const prefix = `${project}/stacks/`;
  const drafts = draftKeys().filter((key) => key.startsWith(prefix)).map((key) => ({ key, id: key.slice(prefix.length), draft: readDraft<Draft>(key) })).filter((each): each is typeof each & { draft: Draft } => !!each.draft && !each.draft.sent);
  return <>{drafts.map(({ key, id, draft }) => (
    <p class="note">Draft: <a href={href(project, id ? ['stacks', draft.name, id, 'update'] : ['create'])}>{id ? `update of ${plain(draft.name)}` : `new stack ${plain(draft.options.name)}`}</a> <button class="plain" onClick={() => { dropDraft(key); redraw((turn) => turn + 1); }}>Discard</button></p>
  ))}</>;
}

export function Live({ connection }: { connection: Connection }) {
  const texts: Record<Connection, string> = {
    connecting: 'connecting', live: 'live', polling: 'live, by polling', broken: 'reconnecting',
  };
  return <span class={`live ${connection}`} role="status">{texts[connection]}</span>;
}

function Nothing({ filtered, project }: { filtered: boolean; project: string }) {
  return (
    <Empty>
      {filtered ? <p>No stack matches these filters.</p> : <>
        <p>There is no stack in this project yet.</p>
        <p class="dim">A stack is what a template describes: servers, networks, volumes and what connects them, created and changed together.</p>
        <p><a class="button primary" href={href(project, ['create'])}>Create the first one</a></p>
      </>}
    </Empty>
  );
}

function DeleteMany({ api, stacks, onClose }: { api: Api; stacks: Stack[]; onClose: () => void }) {
  const run = async () => {
    const ends = await Promise.allSettled(stacks.map((stack) => api.request('DELETE', stackPath(stack.stack_name, stack.id))));
    const failed = ends.flatMap((end, index) => (end.status === 'rejected' ? [`${stacks[index].stack_name}: ${end.reason.message}`] : []));
    if (failed.length) throw new Error(failed.join('\n'));
  };
  const word = stacks.length === 1 ? stacks[0].stack_name : `delete ${stacks.length} stacks`;
  return (
    <Confirm title={`Delete ${stacks.length === 1 ? 'a stack' : `${stacks.length} stacks`}`} word={word} label="Delete" danger onClose={onClose} run={run}>
      <p>All resources of these stacks are deleted, with the data in them:</p>
      <ul class="names">{stacks.map((stack) => <li>{stack.stack_name}</li>)}</ul>
    </Confirm>
  );
}
