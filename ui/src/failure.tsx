// The failure of a stack, first on its page: the cause, its place, and what to do.
import { useState } from 'preact/hooks';
import type { Failure } from './api';
import { href } from './router';
import type { StackContext } from './stack-context';
import { isFailed, type Node, type StackStore } from './stack-store';
import { ErrorNote, oneWay, plain } from './widgets';

/** Failed resources whose own nested stack has no failed one: the causes. */
export function leaves(store: StackStore): Node[] {
  const failed = [...store.nodes.values()].filter((node) => isFailed(node.resource_status));
  const stacks = new Set(failed.map((node) => node.stackId));
  return failed.filter((node) => !(node.nestedId && stacks.has(node.nestedId)) && !/^(resource )?.*(aborted|cancelled)\.?$/i.test(node.resource_status_reason));
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

function hintOf(reason: string): string {
  return HINTS.find(([pattern]) => pattern.test(reason))?.[1]
    ?? 'Correct the cause outside of the stack and retry, or correct the template by an update. Complete resources stay as they are.';
}

export function FailureCard({ context }: { context: StackContext }) {
  const { store } = context;
  const stack = store.stack;
  const [error, setError] = useState<unknown>(null);
  if (!stack || !isFailed(stack.stack_status)) return null;
  const causes = leaves(store);
  const noted = (stack.failures ?? []).filter((each) => !causes.some((node) => node.resource_name === each.resource_name));
  const [action] = stack.stack_status.split('_');
  const reason = causes[0]?.resource_status_reason ?? noted[0]?.reason ?? stack.stack_status_reason;
  const retry = async () => {
    setError(null);
    try { await context.api.action(stack, 'retry'); store.refresh(); } catch (problem) { setError(problem); }
  };
  return (
    <section class="failure" aria-label="Failure">
      <h2>{action[0] + action.slice(1).toLowerCase()} failed</h2>
      {causes.slice(0, 3).map((node) => <Cause key={node.key} context={context} node={node} />)}
      {causes.length > 3 && <p class="dim">and {causes.length - 3} more: <a href="#" onClick={(event) => { event.preventDefault(); context.open('resources', { state: 'failed' }); }}>all failed resources</a></p>}
      {!causes.length && noted.slice(0, 3).map((each) => <Noted failure={each} />)}
      {!causes.length && !noted.length && <p class="cause">{oneWay(stack.stack_status_reason)}</p>}
      <p class="hint">{hintOf(reason)}</p>
      <ErrorNote error={error} />
      <div class="actions left">
        <button class="primary" onClick={retry}>Retry</button>
        <button onClick={() => { location.hash = `${location.hash.split('?')[0].split('/').slice(0, 5).join('/')}/update`; }}>Correct the template…</button>
      </div>
    </section>
  );
}

function Cause({ context, node }: { context: StackContext; node: Node }) {
  const inRoot = node.stackId === context.store.id;
  const place = href(context.route.project, ['stacks', node.stackName, node.stackId, 'template'], { at: node.resource_name });
  return (
    <div class="cause">
      <p class="where">
        <button class="link" onClick={() => context.select(node.key)}>{node.parent_resource ? `${plain(node.parent_resource)} / ` : ''}{plain(node.resource_name)}</button>
        <span class="type">{node.resource_type}</span>
        <a href={place}>place in the {inRoot ? 'template' : 'template of the nested stack'}</a>
      </p>
      <p class="reason">{oneWay(node.resource_status_reason)}</p>
    </div>
  );
}

function Noted({ failure }: { failure: Failure }) {
  return (
    <div class="cause">
      <p class="where"><strong>{failure.resource_name ?? 'The stack'}</strong>{failure.resource_type && <span class="type">{failure.resource_type}</span>}{failure.times > 1 && <span class="dim">{failure.times} times</span>}</p>
      <p class="reason">{oneWay(failure.reason)}</p>
      {failure.holds && failure.holds.length > 0 && <p class="dim">Still there because of it: {failure.holds.join(', ')}</p>}
      {failure.forgotten && <p class="dim">Left in the cloud: {failure.physical_resource_id}</p>}
    </div>
  );
}
