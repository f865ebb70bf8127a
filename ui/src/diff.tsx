// A preview of a create or an update as a list of changes, before and after.
import type { Change, Preview, PropertyChange } from './api';
import { Empty, plain } from './widgets';

const SIGNS: Record<string, string> = { create: '+', update: '~', replace: '!', delete: '−' };
const LISTS = ['deleted', 'replaced', 'updated', 'added'] as const;

export function countsOf(preview: Preview): Record<string, number> {
  const counts: Record<string, number> = { create: 0, update: 0, replace: 0, delete: 0 };
  const count = (each: Preview) => changesOf(each).forEach((change) => {
    counts[change.action] = (counts[change.action] ?? 0) + 1;
    if (change.nested) count(change.nested);
  });
  count(preview);
  return counts;
}

function changesOf(preview: Preview): Change[] {
  return LISTS.flatMap((list) => preview.resource_changes[list] ?? []).filter((change) => change.action !== 'none' && (change.action !== 'update' || !isSilent(change)));
}

/** A resource with a nested stack is always listed as updated, even without a change inside. */
function isSilent(change: Change): boolean {
  return !change.property_changes?.length && !change.definition_changes?.length && !change.reason && !!change.nested && !change.nested.has_changes;
}

export function Diff({ preview, isTextChanged = false }: { preview: Preview; isTextChanged?: boolean }) {
  const counts = countsOf(preview);
  const total = Object.values(counts).reduce((sum, each) => sum + each, 0);
  return (
    <div class="diff">
      {preview.refused && <p class="note failed" role="alert">This would be refused now: {preview.refused}</p>}
      {!preview.has_changes && <Empty><p>{isTextChanged ? 'Nothing would change but the text: comments and layout are stored.' : 'Nothing would change.'}</p></Empty>}
      {preview.has_changes && total === 0 && !preview.parameter_changes?.length && !preview.output_changes?.length && <p class="note">No resource changes; the stored template, parameters or options do.</p>}
      {total > 0 && <p class="summary">{Object.entries(counts).filter(([, count]) => count).map(([action, count]) => <span class={`chip ${action}`}>{count} to {action}</span>)}</p>}
      <StackChanges title="Parameters" changes={preview.parameter_changes ?? []} />
      <StackChanges title="Outputs" changes={preview.output_changes ?? []} />
      <Changes preview={preview} />
    </div>
  );
}

/** The changes of the parameters or the outputs of the stack itself. */
export function StackChanges({ title, changes }: { title: string; changes: PropertyChange[] }) {
  if (!changes.length) return null;
  const action = changes.every((each) => each.before === null) ? 'create' : 'update';
  return (
    <section><h3>{title}</h3>
      <table class="properties"><tbody>{changes.flatMap((each) => (action === 'create' ? [each] : partsOf(each))).map((each) => <PropertyRow key={each.property} change={each} action={action} />)}</tbody></table>
    </section>
  );
}

/** The value at a path with its unknown parts described. Keys may contain dots, so paths are made, not taken apart. */
function withUnknown(value: unknown, knownAfter: Record<string, string[]>, path: string): unknown {
  if (Array.isArray(value)) return value.map((part, index) => withUnknown(part, knownAfter, `${path}.${index}`));
  if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withUnknown(part, knownAfter, `${path}.${key}`)]));
  const sources = knownAfter[path];
  if (value !== null || !sources) return value;
  return sources.length ? `(known after apply: ${sources.join(', ')})` : '(known after apply)';
}

function Changes({ preview }: { preview: Preview }) {
  return <ul class="changes">{changesOf(preview).map((change) => <li key={`${change.parent_resource ?? ''}/${change.resource_name}`} class={change.action}><ChangeItem change={change} /></li>)}</ul>;
}

function ChangeItem({ change }: { change: Change }) {
  const properties = (change.property_changes ?? []).filter((each) => change.action === 'create' || isDifferent(each)).flatMap((each) => (change.action === 'create' ? [each] : partsOf(each)));
  return (
    <>
      <p class="title"><span class="sign" aria-hidden="true">{SIGNS[change.action]}</span><strong>{change.parent_resource && <span class="dim">{plain(change.parent_resource)} / </span>}{plain(change.resource_name)}</strong> <span class="type">{change.resource_type}</span> <span class="verb">{change.action}{change.may_replace && ' or replace'}</span></p>
      {change.reason && <p class="why">{change.reason}</p>}
      {change.known_after?.condition && <p class="why">only if its condition is true (known after apply{change.known_after.condition.length > 0 && `: ${change.known_after.condition.join(', ')}`})</p>}
      {properties.length > 0 && (
        <table class="properties"><tbody>{properties.map((each) => <PropertyRow key={each.property} change={each} action={change.action} />)}</tbody></table>
      )}
      {(change.definition_changes ?? []).map((each) => <p class="why">{typeof each === 'string' ? each : JSON.stringify(each)}</p>)}
      {change.nested && changesOf(change.nested).length > 0 && <details open><summary>Inside</summary><Changes preview={change.nested} /></details>}
    </>
  );
}

/** A resource that is replaced after a failure is listed with all its properties. */
function isDifferent(change: PropertyChange): boolean {
  return change.secret || !change.known || change.forces_replacement || textOf(change.before) !== textOf(change.after);
}

/** One property: its old value, an arrow and the new one, each below that of the other properties. */
export function PropertyRow({ change, action }: { change: PropertyChange; action: string }) {
  const after = change.secret ? '••••••' : change.known ? textOf(change.after) : textOf(withUnknown(change.after, change.known_after ?? {}, change.property));
  const isNew = action === 'create' || (change.before === null && !change.secret);
  return (
    <tr>
      <th scope="row">{change.property}</th>
      {action !== 'create' && <td class="before">{!isNew && <del>{change.secret ? '••••••' : textOf(change.before)}</del>}</td>}
      {action !== 'create' && <td class="arrow"><span aria-hidden="true">→</span><span class="hidden">becomes</span></td>}
      <td class={change.known ? 'after' : 'after later'}><ins>{after}</ins></td>
      <td>{change.forces_replacement && <span class="flag">requires a replacement</span>}</td>
    </tr>
  );
}

/** Return the parts of a change that differ, inside of maps: ``metadata.role`` instead of two long maps. */
function partsOf(change: PropertyChange): PropertyChange[] {
  const isMap = (value: unknown): value is Record<string, unknown> => !!value && typeof value === 'object' && !Array.isArray(value);
  const { before, after } = change;
  if (change.secret || !isMap(before) || !isMap(after)) return [change];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]) || `${change.property}.${key}` in (change.known_after ?? {}));
  const parts = keys.flatMap((key) => {
    const property = `${change.property}.${key}`;
    const later = Object.keys(change.known_after ?? {}).some((each) => each === property || each.startsWith(`${property}.`));
    return partsOf({ ...change, property, before: before[key] ?? null, after: after[key] ?? null, known: change.known || !later });
  });
  return parts.length ? parts : [change];
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
