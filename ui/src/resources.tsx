// The resources of a stack as a table, those of nested stacks below their parents.
import { useMemo, useState } from 'preact/hooks';
import type { StackContext } from './stack-context';
import type { Node } from './stack-store';
import { Age, plain, Rows, Status, tone } from './widgets';

interface Row { node: Node; depth: number }

function ordered(nodes: Map<string, Node>, root: string): Row[] {
  const inside = new Map<string, Node[]>();
  for (const node of nodes.values()) {
    const own = inside.get(node.stackId);
    if (own) own.push(node);
    else inside.set(node.stackId, [node]);
  }
  const rows: Row[] = [];
  const visit = (stack: string, depth: number) => {
    for (const node of inside.get(stack) ?? []) {
      rows.push({ node, depth });
      if (node.nestedId && depth < 20) visit(node.nestedId, depth + 1);
    }
  };
  visit(root, 0);
  return rows;
}

const ORDER = ['failed', 'progress', 'none', 'quiet', 'complete'];

export function ResourcesPanel({ context, chosen }: { context: StackContext; chosen: string }) {
  const { store, route } = context;
  const [text, setText] = useState('');
  const state = route.query.get('state') ?? '';
  const rows = useMemo(() => {
    const found = ordered(store.nodes, store.id);
    if (!text && !state) return found;
    const wanted = text.toLowerCase();
    return found.filter(({ node }) => (!state || tone(node.resource_status) === state)
      && `${node.resource_name} ${node.resource_type} ${node.physical_resource_id}`.toLowerCase().includes(wanted));
  }, [store.version, text, state]);
  const counts = useMemo(() => {
    const found = new Map<string, number>();
    for (const node of store.nodes.values()) found.set(tone(node.resource_status), (found.get(tone(node.resource_status)) ?? 0) + 1);
    return found;
  }, [store.version]);
  return (
    <div class="fill">
      <div class="bar filters">
        <input type="search" aria-label="Filter resources" placeholder="Name, type or id" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <div class="segments" role="group" aria-label="Filter by status">
          <button aria-pressed={!state} onClick={() => context.open('resources')}>all</button>
          {ORDER.filter((each) => counts.has(each)).map((each) => <button aria-pressed={state === each} onClick={() => context.open('resources', { state: each })}>{each === 'none' ? 'waiting' : each} {counts.get(each)}</button>)}
        </div>
      </div>
      <Rows items={rows} height={33} label="Resources"
        header={<tr><th>Resource</th><th>Status</th><th class="wide">Type</th><th class="wide">Physical id</th><th class="wide">Changed</th></tr>}
        row={({ node, depth }) => (
          <tr key={node.key} class={node.key === chosen ? 'chosen' : ''}>
            <td class="name" style={{ paddingLeft: `${8 + depth * 18}px` }}><button class="link" onClick={() => context.select(node.key)}>{plain(node.resource_name)}</button></td>
            <td><Status value={node.resource_status} /></td>
            <td class="wide type">{node.resource_type}</td>
            <td class="wide mono">{plain(node.physical_resource_id)}</td>
            <td class="wide"><Age time={node.updated_time} /></td>
          </tr>
        )} />
    </div>
  );
}
