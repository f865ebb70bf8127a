// What others have changed at the objects of a stack, and the update that undoes it.
import { useState } from 'preact/hooks';
import { ApiError, stackPath } from './api';
import type { StackContext } from './stack-context';
import { DEPTH } from './stack-store';
import { type Column, Confirm, Empty, ErrorNote, Export, Heads, type Order, ordered, plain, Value } from './widgets';

interface Found { checked: number; resources: Drifted[]; unchecked: Unchecked[] }
interface Difference { stack: string; resource: string; resource_type: string; property: string; wanted: unknown; found: unknown; missing?: boolean }

interface Unchecked { resource_name: string; stack_name: string; reason: string }

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
const COLUMNS: Column<Difference>[] = [
  { label: 'Resource', value: (each) => each.resource }, { label: 'Type', value: (each) => each.resource_type, class: 'wide' }, { label: 'Property', value: (each) => each.property },
  { label: 'Wanted', value: (each) => text(each.wanted) }, { label: 'Found', value: (each) => (each.missing ? 'gone' : text(each.found)) },
];

export function DriftPanel({ context }: { context: StackContext }) {
  const { api, store } = context;
  const [found, setFound] = useState<Found | null>(null);
  const [busy, setBusy] = useState(false);
  const [asked, setAsked] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const look = async () => {
    setBusy(true);
    setError(null);
    try {
      const { drift } = await api.get<{ drift: Found }>(stackPath(store.name, store.id, 'drift'), { nested_depth: DEPTH });
      setFound(drift);
    } catch (problem) {
      setError((problem as ApiError).status === 404
        ? new Error('This service cannot compare a stack with the cloud. The action Check verifies that its objects exist.') : problem);
    }
    setBusy(false);
  };
  const [order, setOrder] = useState<Order | null>(null);
  const differences = found && ordered(rowsOf(found.resources), COLUMNS, order);
  return (
    <div>
      <div class="bar filters">
        <button class="primary" disabled={busy} onClick={look}>{busy ? 'Comparing…' : 'Compare with the cloud'}</button>
        {differences && differences.length > 0 && <><button onClick={() => setAsked(true)}>Undo the changes…</button><Export name={`${store.name}-drift`} rows={differences} columns={COLUMNS} /></>}
      </div>
      <ErrorNote error={error} />
      {!differences && !error && <Empty><p class="dim">Reads each object as it is now and lists the properties that others have changed since the last action.</p></Empty>}
      {found && <p class="dim" role="status">{found.checked} {found.checked === 1 ? 'resource' : 'resources'} compared{found.unchecked.length > 0 && `, ${found.unchecked.length} not`}.</p>}
      {found && !differences!.length && <Empty><p>{found.checked > 0 ? 'Nothing was changed by others.' : 'None of the resources can be compared with the cloud.'}</p></Empty>}
      {differences && differences.length > 0 && <div class="scroll"><table class="list">
        <thead><Heads columns={COLUMNS} order={order} change={setOrder} /></thead>
        <tbody>{differences.map((each) => <tr><td>{each.stack !== store.name && <span class="dim">{plain(each.stack)} / </span>}{plain(each.resource)}</td><td class="wide type">{each.resource_type}</td><td>{each.property}</td><td class="before"><Value value={each.wanted} /></td><td class="after">{each.missing ? 'the object is gone' : <Value value={each.found} />}</td></tr>)}</tbody>
      </table></div>}
      {found && found.unchecked.length > 0 && <details class="values" open={!found.checked}><summary>Not compared</summary>
        <dl>{found.unchecked.slice(0, 200).map((each) => <><dt>{plain(each.resource_name)}</dt><dd>{each.reason}</dd></>)}</dl>
      </details>}
      {asked && (
        <Confirm title="Undo the changes of others" label="Converge" onClose={() => setAsked(false)}
          run={async () => { await api.request('PATCH', stackPath(store.name, store.id), { converge: true }); setFound(null); store.refresh(); }}>
          <p>An update sets the properties back to what the template says. Objects that are gone are created again.</p>
        </Confirm>
      )}
    </div>
  );
}

interface Drifted { resource_name: string; resource_type: string; stack_name: string; status: string; properties?: { property: string; expected: unknown; actual: unknown }[] }

function rowsOf(drifted: Drifted[]): Difference[] {
  return drifted.flatMap((each): Difference[] => {
    const own = { stack: each.stack_name, resource: each.resource_name, resource_type: each.resource_type };
    if (each.status === 'missing') return [{ ...own, property: '', wanted: 'an object', found: null, missing: true }];
    return (each.properties ?? []).map((one) => ({ ...own, property: one.property, wanted: one.expected, found: one.actual }));
  });
}
