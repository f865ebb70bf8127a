// The snapshots of a stack.
import { useEffect, useState } from 'preact/hooks';
import { type Snapshot, stackPath } from './api';
import { useKept } from './drafts';
import type { StackContext } from './stack-context';
import { Age, type Column, Confirm, Empty, ErrorNote, Heads, type Order, ordered, Status, useLoad } from './widgets';

const COLUMNS: Column<Snapshot>[] = [
  { label: 'Name', value: (each) => each.name || each.id }, { label: 'Status', value: (each) => each.status },
  { label: 'Taken', value: (each) => each.creation_time }, { label: 'Reason', value: (each) => each.status_reason, class: 'wide' },
];
/** Milliseconds between two reads while a snapshot is being taken or deleted. */
const REFRESH = 1500;

export function SnapshotsPanel({ context }: { context: StackContext }) {
  const { api, store } = context;
  const [name, setName, dropName] = useKept(`snapshot ${store.id}`, '');
  const [order, setOrder] = useState<Order | null>(null);
  const [asked, setAsked] = useState<{ what: 'restore' | 'delete'; snapshot: Snapshot } | null>(null);
  const [leaving, setLeaving] = useState<string[]>([]);
  const [problem, setProblem] = useState<unknown>(null);
  const path = (...rest: string[]) => stackPath(store.name, store.id, 'snapshots', ...rest);
  const { value, error, again } = useLoad(() => api.get<{ snapshots: Snapshot[] }>(path()), [store.stack?.stack_status, store.version > 0]);
  useEffect(() => {
    const isPending = value?.snapshots.some((each) => each.status === 'IN_PROGRESS' || leaving.includes(each.id));
    const timer = isPending ? setTimeout(again, REFRESH) : undefined;
    return () => clearTimeout(timer);
  }, [value, leaving]);
  const make = async (event: globalThis.Event) => {
    event.preventDefault();
    setProblem(null);
    try { await api.request('POST', path(), name ? { name } : {}); dropName(); store.refresh(); again(); } catch (found) { setProblem(found); }
  };
  const snapshots = ordered(value?.snapshots ?? [], COLUMNS, order);
  return (
    <div>
      <form class="bar filters" onSubmit={make}>
        <input aria-label="Name of the new snapshot" placeholder="Name (optional)" maxLength={255} value={name} onInput={(event) => setName(event.currentTarget.value)} />
        <button class="primary">Take a snapshot</button>
      </form>
      <ErrorNote error={problem ?? error} />
      {value && !snapshots.length && <Empty><p class="dim">There is no snapshot. A snapshot keeps the template, the parameters and, where a resource type supports it, the data.</p></Empty>}
      {snapshots.length > 0 && <div class="scroll"><table class="list">
        <thead><Heads columns={COLUMNS} order={order} change={setOrder} after={<th><span class="hidden">Actions</span></th>} /></thead>
        <tbody>{snapshots.map((each) => (
          <tr key={each.id}><td>{each.name || <span class="mono">{each.id}</span>}</td><td><Status value={each.status} /></td><td><Age time={each.creation_time} /></td><td class="wide reason">{each.status_reason}</td>
            <td class="right"><button disabled={each.status !== 'COMPLETE'} onClick={() => setAsked({ what: 'restore', snapshot: each })}>Restore…</button> <button onClick={() => setAsked({ what: 'delete', snapshot: each })}>Delete…</button></td></tr>
        ))}</tbody>
      </table></div>}
      {asked && (
        <Confirm title={asked.what === 'restore' ? 'Restore the stack' : 'Delete the snapshot'} label={asked.what === 'restore' ? 'Restore' : 'Delete'} danger onClose={() => setAsked(null)}
          run={async () => {
            await (asked.what === 'restore' ? api.request('POST', path(asked.snapshot.id, 'restore')) : api.request('DELETE', path(asked.snapshot.id)));
            if (asked.what === 'delete') setLeaving((old) => [...old, asked.snapshot.id]);
            store.refresh();
            again();
          }}>
          <p>{asked.what === 'restore' ? 'The stack is updated to the template and parameters of the snapshot, and its data replaced.' : 'The data that it keeps are deleted too.'}</p>
          <p><strong>{asked.snapshot.name || asked.snapshot.id}</strong></p>
        </Confirm>
      )}
    </div>
  );
}
