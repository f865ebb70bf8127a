// The resources of a stack as a table, those of nested stacks below their parents.
import { useMemo, useState } from 'preact/hooks';
import type { StackContext } from './stack-context';
import { type Node, pathOf } from './stack-store';
import { Age, type Column, Export, Heads, type Order, ordered, plain, Rows, Status, tone } from './widgets';

interface Row { node: Node; depth: number }

function nested(nodes: Map<string, Node>, root: string): Row[] {
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

const COLUMNS: Column<Row>[] = [
  { label: 'Resource', value: ({ node }) => node.resource_name }, { label: 'Status', value: ({ node }) => node.resource_status },
  { label: 'Type', value: ({ node }) => node.resource_type, class: 'wide' }, { label: 'Physical id', value: ({ node }) => node.physical_resource_id, class: 'wide' },
  { label: 'Changed', value: ({ node }) => node.updated_time, class: 'wide' },
];
const ORDER = ['failed', 'progress', 'none', 'quiet', 'complete'];

export function ResourcesPanel({ context, chosen }: { context: StackContext; chosen: string }) {
  const { store, route } = context;
  const [text, setText] = useState('');
  const [order, setOrder] = useState<Order | null>(null);
  const state = route.query.get('state') ?? '';
  const rows = useMemo(() => {
    const rows = nested(store.nodes, store.id);
    const found = order ? ordered(rows, COLUMNS, order).map((row) => ({ ...row, depth: 0 })) : rows;
    if (!text && !state) return found;
    const wanted = text.toLowerCase();
    return found.filter(({ node }) => (!state || tone(node.resource_status) === state)
      && `${node.resource_name} ${node.resource_type} ${node.physical_resource_id}`.toLowerCase().includes(wanted));
  }, [store.version, text, state, order]);
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
        <span class="grow" />
        <Export name={`${store.name}-resources`} rows={rows} columns={[{ label: 'Path', value: ({ node }) => pathOf(store.nodes, node.stackId, node.resource_name) }, ...COLUMNS]} />
      </div>
      <Rows items={rows} height={33} label="Resources"
        header={<Heads columns={COLUMNS} order={order} change={setOrder} />}
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
