// What others have changed at the objects of a stack, and the update that undoes it.
import { useState } from 'preact/hooks';
import { ApiError, stackPath } from './api';
import type { StackContext } from './stack-page';
import { Confirm, Empty, ErrorNote, Value } from './widgets';

interface Difference { resource: string; resource_type: string; property: string; wanted: unknown; found: unknown; missing?: boolean }

export function DriftPanel({ context }: { context: StackContext }) {
  const { api, store } = context;
  const [differences, setDifferences] = useState<Difference[] | null>(null);
  const [busy, setBusy] = useState(false);
  const [asked, setAsked] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const look = async () => {
    setBusy(true);
    setError(null);
    try {
      const { drift } = await api.get<{ drift: { resources: Drifted[] } }>(stackPath(store.name, store.id, 'drift'));
      setDifferences(rowsOf(drift.resources));
    } catch (problem) {
      setError((problem as ApiError).status === 404
        ? new Error('This service cannot compare a stack with the cloud. The action Check verifies that its objects exist.') : problem);
    }
    setBusy(false);
  };
  return (
    <div>
      <div class="bar filters">
        <button class="primary" disabled={busy} onClick={look}>{busy ? 'Comparing…' : 'Compare with the cloud'}</button>
        {differences && differences.length > 0 && <button onClick={() => setAsked(true)}>Undo the changes…</button>}
      </div>
      <ErrorNote error={error} />
      {!differences && !error && <Empty><p class="dim">Reads each object as it is now and lists the properties that others have changed since the last action.</p></Empty>}
      {differences && !differences.length && <Empty><p>Nothing was changed by others.</p></Empty>}
      {differences && differences.length > 0 && <div class="scroll"><table class="list">
        <thead><tr><th>Resource</th><th class="wide">Type</th><th>Property</th><th>Wanted</th><th>Found</th></tr></thead>
        <tbody>{differences.map((each) => <tr><td>{each.resource}</td><td class="wide type">{each.resource_type}</td><td>{each.property}</td><td class="before"><Value value={each.wanted} /></td><td class="after">{each.missing ? 'the object is gone' : <Value value={each.found} />}</td></tr>)}</tbody>
      </table></div>}
      {asked && (
        <Confirm title="Undo the changes of others" label="Converge" onClose={() => setAsked(false)}
          run={async () => { await api.request('PATCH', stackPath(store.name, store.id), { converge: true }); setDifferences(null); store.refresh(); }}>
          <p>An update sets the properties back to what the template says. Objects that are gone are created again.</p>
        </Confirm>
      )}
    </div>
  );
}

interface Drifted { resource_name: string; resource_type: string; stack_name: string; status: string; properties?: { property: string; expected: unknown; actual: unknown }[] }

function rowsOf(drifted: Drifted[]): Difference[] {
  return drifted.flatMap((each): Difference[] => {
    const own = { resource: each.resource_name, resource_type: each.resource_type };
    if (each.status === 'missing') return [{ ...own, property: '', wanted: 'an object', found: null, missing: true }];
    return (each.properties ?? []).map((one) => ({ ...own, property: one.property, wanted: one.expected, found: one.actual }));
  });
}
