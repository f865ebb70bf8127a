// Why an action failed, first on the page of a stack, also after a rollback: cause, place, change, what to do.
import { useState } from 'preact/hooks';
import type { Event } from './api';
import { href } from './router';
import type { StackContext } from './stack-context';
import { isFailed, type Node, ownStack, pathOf, type StackStore } from './stack-store';
import { byNumber, ErrorNote, oneWay, plain } from './widgets';

/** What others stopped is no cause. */
const STOPPED = /^(resource )?.*(aborted|cancelled)\.?$/i;
/** The causes that the card lists, and the paths of equal ones. */
const CAUSES = 3, PATHS = 6;

/** Failed resources whose own nested stack has no failed one: the causes. */
export function leaves(store: StackStore): Node[] {
  const failed = [...store.nodes.values()].filter((node) => isFailed(node.resource_status));
  const stacks = new Set(failed.map((node) => node.stackId));
  return failed.filter((node) => !(node.nestedId && stacks.has(node.nestedId)) && !STOPPED.test(node.resource_status_reason));
}

/** The text that has a resource: the template, or the file that is the type of its nested stack. */
export function textOf(store: StackStore, { stackId }: Node): string | undefined {
  if (stackId === store.id) return 'template';
  const type = [...store.nodes.values()].find((each) => each.nestedId === stackId)?.resource_type;
  return type && /\.(ya?ml|json|template)$/.test(type) ? type : undefined;
}

interface Cause { path: string; type: string; action: string; reason: string; node?: Node; note?: string; change?: string }

/** The failures of the last attempt by its events: a rollback removes what failed, and its rows. */
function failedEvents(store: StackStore): Event[] {
  const isOfStack = (event: Event) => event.physical_resource_id === ownStack(event.links)?.id;
  const begin = store.events.findLastIndex((event) => event.physical_resource_id === store.id && /^(?!ROLLBACK).*_IN_PROGRESS$/.test(event.resource_status));
  return store.events.slice(Math.max(begin, 0)).filter((event) => isFailed(event.resource_status) && !isOfStack(event) && !STOPPED.test(event.resource_status_reason));
}

/** Return the path that a reason names, and the reason without it: ``Conflict: resources.group.resources[1]: text``. */
function placed(name: string, reason: string): { path: string; reason: string } {
  const found = /^(\w+: )?((?:resources(?:\.[^.:[\]]+|\[[^\]]+\])\.?)+): ([\s\S]+)$/.exec(reason);
  const parts = found ? [...found[2].matchAll(/resources(?:\.([^.:[\]]+)|\[([^\]]+)\])/g)].map((each) => each[1] ?? each[2]) : [];
  return parts[0] === name ? { path: parts.map(plain).join('/'), reason: `${found![1] ?? ''}${found![3]}` } : { path: plain(name), reason };
}

/** The causes of the failure: present resources, the events of the attempt, and what the service has recorded. */
function causesOf(store: StackStore, isRolledBack: boolean): Cause[] {
  const stack = store.stack!;
  const events = failedEvents(store);
  const pathOfEvent = (event: Event) => pathOf(store.nodes, ownStack(event.links)?.id ?? '', event.resource_name);
  const nodes = new Map([...store.nodes.values()].map((node) => [pathOf(store.nodes, node.stackId, node.resource_name), node]));
  const causes: Cause[] = leaves(store).map((node) => {
    const path = pathOf(store.nodes, node.stackId, node.resource_name);
    return { path, type: node.resource_type, action: node.resource_status.split('_')[0], reason: placed(node.resource_name, node.resource_status_reason).reason, node };
  });
  const add = (cause: Cause) => {
    if (!causes.some(({ path }) => path === cause.path || path.startsWith(`${cause.path}/`))) causes.push({ ...cause, node: nodes.get(cause.path) });
  };
  if (isRolledBack) {
    // the deepest first: the failure of a group repeats that of its member
    [...events].sort((one, other) => pathOfEvent(other).split('/').length - pathOfEvent(one).split('/').length)
      .forEach((event) => add({ path: pathOfEvent(event), type: event.resource_type ?? nodes.get(pathOfEvent(event))?.resource_type ?? '', action: event.resource_status.split('_')[0], reason: placed(event.resource_name, event.resource_status_reason).reason }));
  }
  for (const each of stack.failures ?? []) {
    if (!isRolledBack && each.stack_action !== stack.stack_status.split('_')[0]) continue;
    const note = [each.holds?.length && `Still there because of it: ${each.holds.join(', ')}`, each.forgotten && `Left in the cloud: ${each.physical_resource_id}`].filter(Boolean).join('. ');
    const { path, reason } = placed(each.resource_name ?? 'the stack', each.reason);
    add({ path, type: path.includes('/') ? nodes.get(path)?.resource_type ?? '' : each.resource_type ?? '', action: each.action, reason, note });
  }
  return causes.map((cause) => ({ ...cause, change: changeOf(store, cause.path) }));
}

/** What the update changed: the properties of the resource itself, or of the one that contains it. */
function changeOf({ stack }: StackStore, path: string): string | undefined {
  const found = stack!.failures?.findLast((each) => each.changed?.length && (path === plain(each.resource_name) || path.startsWith(`${plain(each.resource_name)}/`)));
  return found && `${found.changed!.map(plain).join(', ')} of ${plain(found.resource_name)}`;
}

/** Failures that differ only in the name of their resource, as one. */
function grouped(causes: Cause[]): Cause[][] {
  const groups = new Map<string, Cause[]>();
  for (const cause of causes) {
    const name = cause.path.split('/').at(-1)!;
    const words = cause.reason.split(/([\w.-]+)/).map((word) => (word === name ? '*' : word)).join('');
    const key = [cause.type, cause.action, cause.note, cause.path.includes('/') ? cause.change : '', words].join('\n');
    groups.set(key, [...(groups.get(key) ?? []), cause]);
  }
  return [...groups.values()].map((causes) => causes.sort((one, other) => byNumber(one.path, other.path)));
}

const HINTS: [RegExp, string][] = [
  [/quota|limit (is )?exceeded|maximum number/i, 'A limit of the project is reached. Delete what is not needed or ask for a larger quota, then retry.'],
  [/not be found|not found|does not exist|could not find/i, 'Something that the template names does not exist. Create it or correct the name by an update.'],
  [/timed? ?out/i, 'It took longer than the stack may take. Look at what the resource waits for; update the stack with a longer timeout, or retry.'],
  [/no valid host/i, 'No machine of the cloud has room for this server. Choose a smaller flavor or another availability zone.'],
  [/policy|forbidden|not authorized|403/i, 'Your roles do not allow this call. An administrator of the project can allow it.'],
  [/unauthori[sz]ed|401|trust/i, 'The credentials of the stack are not accepted any more. Retry with a new login.'],
  [/in use|conflict|409/i, 'Another object still uses this one. Remove that use, then retry.'],
  [/connect|unavailable|503|502/i, 'A service of the cloud did not answer. Retry when it is back.'],
];

function hintOf(reason: string, isRolledBack: boolean): string {
  const found = HINTS.find(([pattern]) => pattern.test(reason))?.[1];
  if (isRolledBack) return `${found ? `${found.replace(/,? (then )?retry[^.]*\./i, '.')} ` : ''}Correct the template and update again: the text that failed is still in this tab if it was sent from here.`;
  return found ?? 'Correct the cause outside of the stack and retry, or correct the template by an update. Complete resources stay as they are.';
}

export function FailureCard({ context }: { context: StackContext }) {
  const { store, route } = context;
  const stack = store.stack;
  const [error, setError] = useState<unknown>(null);
  const isRolledBack = stack?.stack_status === 'ROLLBACK_COMPLETE';
  if (!stack || !(isRolledBack || isFailed(stack.stack_status))) return null;
  const groups = grouped(causesOf(store, isRolledBack));
  const name = isRolledBack ? stack.failures?.[0]?.stack_action ?? 'action' : stack.stack_status.split('_')[0];
  const retry = async () => {
    setError(null);
    try { await context.api.action(stack, 'retry'); store.refresh(); } catch (problem) { setError(problem); }
  };
  return (
    <section class="failure" aria-label="Failure">
      <h2>{name[0].toUpperCase() + name.slice(1).toLowerCase()} failed{isRolledBack && ' and was rolled back'}</h2>
      {isRolledBack && <p>{name === 'CREATE' ? 'What it had made was deleted.' : 'The stack is again as it was before.'}</p>}
      {groups.slice(0, CAUSES).map((causes) => <CauseItem key={causes[0].path} context={context} causes={causes} />)}
      {groups.length > CAUSES && <p class="dim">and {groups.length - CAUSES} more: <a href={href(route.project, ['stacks', store.name, store.id, isRolledBack ? 'events' : 'resources'], isRolledBack ? {} : { state: 'failed' })}>all failures</a></p>}
      {!groups.length && <p class="cause">{oneWay(stack.stack_status_reason)}</p>}
      <p class="hint">{hintOf(groups[0]?.[0].reason ?? stack.stack_status_reason, isRolledBack)}</p>
      <ErrorNote error={error} />
      <div class="actions left">
        {!isRolledBack && <button class="primary" onClick={retry}>Retry</button>}
        <a class={isRolledBack ? 'button primary' : 'button'} href={href(route.project, ['stacks', store.name, store.id, 'update'])}>Correct the template…</a>
      </div>
    </section>
  );
}

function CauseItem({ context, causes }: { context: StackContext; causes: Cause[] }) {
  const [all, setAll] = useState(false);
  const [{ node, type, action, reason, note }] = causes;
  const changes = [...new Set(causes.flatMap((each) => each.change ?? []))];
  const { store, route } = context;
  const text = node && textOf(store, node);
  const place = node && href(route.project, ['stacks', ...(text ? [store.name, store.id] : [node.stackName, node.stackId]), 'template'], { at: node.resource_name, text: text ?? '' });
  return (
    <div class="cause">
      <p class="where">
        {causes.length > 1 && <strong>{causes.length} ×</strong>}
        {causes.slice(0, all ? undefined : PATHS).map((each) => (each.node ? <button class="link" onClick={() => context.select(each.node!.key)}>{each.path}</button> : <strong>{each.path}</strong>))}
        {causes.length > PATHS && !all && <button class="link" onClick={() => setAll(true)}>and {causes.length - PATHS} more</button>}
        {type && <span class="type">{type}</span>}<span class="dim">{action.toLowerCase()}</span>
        {place && <a href={place}>place in {!text ? 'the template of the nested stack' : text === 'template' ? 'the template' : plain(text.split('/').at(-1))}</a>}
      </p>
      <p class="reason">{oneWay(reason)}</p>
      {note && <p class="dim">{oneWay(note)}</p>}
      {changes.length > 0 && <p>The update changed {changes.slice(0, PATHS).map((each, index) => <>{index > 0 && ', '}<strong>{each}</strong></>)}{changes.length > PATHS && ` and ${changes.length - PATHS} more`}.</p>}
    </div>
  );
}
