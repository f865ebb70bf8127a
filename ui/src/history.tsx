// The definitions that a stack has had: who, when, why, what differs, and the way back to one.
import { useState } from 'preact/hooks';
import { type Preview, type PropertyChange, type Revision, stackPath } from './api';
import { Diff, StackChanges } from './diff';
import type { StackContext } from './stack-context';
import { Age, Dialog, Empty, ErrorNote, oneWay, Status, useLoad } from './widgets';

const OPTIONS = ['tags', 'timeout_mins', 'disable_rollback', 'environment'] as const;
/** Lines around a changed one that are shown, and the lines that are compared one by one. */
const AROUND = 3, MAX_LINES = 2000;

export function HistoryPanel({ context }: { context: StackContext }) {
  const { api, store } = context;
  const path = stackPath(store.name, store.id, 'revisions');
  const { value, error } = useLoad(() => api.get<{ revisions: Revision[] }>(path), [store.stack?.stack_status, store.stack?.digest]);
  const [pair, setPair] = useState<[number, number] | null>(null);
  const [target, setTarget] = useState<number | null>(null);
  const revisions = value?.revisions ?? [];
  const choose = (place: 0 | 1, number: number) => setPair((old) => (old && (place ? [old[0], number] : [number, old[1]])));
  const select = (place: 0 | 1, label: string) => (
    <select aria-label={label} value={pair![place]} onChange={(event) => choose(place, Number(event.currentTarget.value))}>{revisions.map((each) => <option>{each.number}</option>)}</select>
  );
  return (
    <div>
      <ErrorNote error={error} />
      {value && !revisions.length && <Empty><p class="dim">A nested stack has no history of its own: that of the stack above tells of it.</p></Empty>}
      {revisions.length > 0 && <div class="scroll"><table class="list">
        <thead><tr><th>Revision</th><th>User</th><th>Age</th><th>Result</th><th class="wide">Message</th><th><span class="hidden">Actions</span></th></tr></thead>
        <tbody>{revisions.map((each, index) => (
          <tr key={each.number} aria-current={index ? undefined : 'true'}><td>{each.number}{!index && <> <span class="flag">present</span></>}</td><td>{oneWay(each.username)}</td><td><Age time={each.creation_time} /></td><td><Status value={`${each.action}_${each.status}`} /></td>
            <td class="wide reason">{oneWay(each.message)}{each.status === 'FAILED' && <p class="dim">{oneWay(each.status_reason)}</p>}</td>
            <td class="right">{revisions[index + 1] && <button onClick={() => setPair([revisions[index + 1]!.number, each.number])}>Differences</button>} {index > 0 && <button onClick={() => setTarget(each.number)}>Apply…</button>}</td></tr>
        ))}</tbody>
      </table></div>}
      {pair && <section aria-label="Differences"><p class="bar filters">From revision {select(0, 'Former revision')} to {select(1, 'Later revision')}</p><Differences context={context} pair={pair} /></section>}
      {target !== null && <Apply context={context} revision={target} onClose={() => setTarget(null)} />}
    </div>
  );
}

/** A preview of the update to a revision, and its start. */
function Apply({ context, revision, onClose }: { context: StackContext; revision: number; onClose: () => void }) {
  const { api, store } = context;
  const [message, setMessage] = useState('');
  const [problem, setProblem] = useState<unknown>(null);
  const path = stackPath(store.name, store.id);
  const { value, error } = useLoad(() => api.request<Preview>('PUT', `${path}/preview`, { revision }), [revision]);
  const start = async (event: globalThis.Event) => {
    event.preventDefault();
    const unchanged: Record<string, string> = value?.present_digest ? { 'If-Match': `"${value.present_digest}"` } : {};
    try {
      await api.request('PUT', path, { revision, message: message || undefined }, undefined, undefined, unchanged);
      store.refresh();
      onClose();
    } catch (found) { setProblem(found); }
  };
  return (
    <Dialog title={`Apply revision ${revision}`} wide onClose={onClose}>
      {value && <Diff preview={value} />}
      <form onSubmit={start}>
        <label>Why (optional)<input maxLength={255} value={message} onInput={(event) => setMessage(event.currentTarget.value)} /></label>
        <ErrorNote error={problem ?? error} />
        <div class="actions"><button type="button" onClick={onClose}>Keep as it is</button><button class="primary" disabled={!value?.has_changes || !!value.refused}>Update the stack</button></div>
      </form>
    </Dialog>
  );
}

function Differences({ context: { api, store }, pair }: { context: StackContext; pair: [number, number] }) {
  const { value, error } = useLoad(async () => {
    const read = async (number: number) => (await api.get<{ revision: Revision }>(stackPath(store.name, store.id, 'revisions', String(number)))).revision;
    const [source, before, after] = await Promise.all([import('./source'), ...pair.map(read)] as [Promise<typeof import('./source')>, Promise<Revision>, Promise<Revision>]);
    const isText = before.template_text !== null && after.template_text !== null;
    return [before, after].map((each) => ({ revision: each, texts: { template: isText ? each.template_text! : source.dump(each.template), ...each.files } as Record<string, string> }));
  }, pair);
  if (!value) return <ErrorNote error={error} />;
  const [before, after] = value as [typeof value[0], typeof value[0]];
  const changes = OPTIONS.filter((each) => JSON.stringify(before.revision[each]) !== JSON.stringify(after.revision[each])).map((property): PropertyChange => ({
    property, before: before.revision[property], after: after.revision[property], known: true, forces_replacement: false, secret: false,
  }));
  const names = [...new Set([...Object.keys(before.texts), ...Object.keys(after.texts)])].filter((name) => before.texts[name] !== after.texts[name]);
  if (!changes.length && !names.length) return <p class="dim">{before.revision.digest === after.revision.digest ? 'Nothing differs.' : 'Only hidden values differ.'}</p>;
  return (
    <div class="diff">
      <StackChanges title="Parameters and options" changes={changes} />
      {names.map((name) => <section key={name}><h3>{oneWay(name)}</h3><Lines before={linesOf(before.texts[name])} after={linesOf(after.texts[name])} /></section>)}
    </div>
  );
}

const linesOf = (text: string | undefined): string[] => (text ? text.replace(/\n$/, '').split('\n') : []);

function Lines({ before, after }: { before: string[]; after: string[] }) {
  const rows = compare(before, after);
  const isNear = (index: number) => rows.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(([sign]) => sign !== ' ');
  return (
    <pre class="lines">{rows.map(([sign, line], index) => (isNear(index)
      ? sign === '-' ? <del>{`- ${line}`}</del> : sign === '+' ? <ins>{`+ ${line}`}</ins> : <span>{`  ${line}`}</span>
      : isNear(index - 1) ? <span>⋯</span> : null))}</pre>
  );
}

/** Return the lines of both texts with -, + or a space, by their longest common part. */
function compare(before: string[], after: string[]): [string, string][] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  const [old, now] = [before.slice(start), after.slice(start)];
  const rows: [string, string][] = before.slice(0, start).map((line) => [' ', line]);
  if (old.length > MAX_LINES || now.length > MAX_LINES) return [...rows, ...old.map((line): [string, string] => ['-', line]), ...now.map((line): [string, string] => ['+', line])];
  const common = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i--) for (let j = now.length - 1; j >= 0; j--) common[i]![j] = old[i] === now[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  for (let i = 0, j = 0; i < old.length || j < now.length;) {
    if (i < old.length && j < now.length && old[i] === now[j]) { rows.push([' ', old[i++]!]); j++; }
    else if (i < old.length && (j === now.length || common[i + 1]![j]! >= common[i]![j + 1]!)) rows.push(['-', old[i++]!]);
    else rows.push(['+', now[j++]!]);
  }
  return rows;
}
