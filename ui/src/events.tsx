// The events of a stack and of its nested stacks, the newest on top, as they happen.
import { useMemo, useState } from 'preact/hooks';
import type { StackContext } from './stack-context';
import type { Event } from './api';
import { ownStack, pathOf } from './stack-store';
import { clock, type Column, Export, Heads, oneWay, type Order, ordered, plain, Rows, Status, tone } from './widgets';

export function EventsPanel({ context }: { context: StackContext }) {
  const { store } = context;
  const [text, setText] = useState('');
  const [failed, setFailed] = useState(false);
  const [order, setOrder] = useState<Order | null>(null);
  const owners = useMemo(() => new Map([...store.nodes.values()].map((node) => [node.nestedId, node])), [store.version]);
  /** The resource that an event is about: that of a nested stack for its own events. */
  const keyOf = (event: Event) => {
    const own = ownStack(event.links)?.id ?? '';
    return event.physical_resource_id === own ? owners.get(own)?.key : `${own}/${event.resource_name}`;
  };
  const path = (event: Event) => {
    const key = keyOf(event), owner = key && store.nodes.get(key);
    if (owner) return pathOf(store.nodes, owner.stackId, owner.resource_name);
    return key ? pathOf(store.nodes, ownStack(event.links)?.id ?? '', event.resource_name) : plain(event.resource_name);
  };
  const columns: Column<Event>[] = [
    { label: 'Time', value: (each) => each.event_time }, { label: 'Resource', value: path }, { label: 'Status', value: (each) => each.resource_status },
    { label: 'Reason', value: (each) => each.resource_status_reason, class: 'wide' },
  ];
  const shown = useMemo(() => {
    const wanted = text.toLowerCase();
    return ordered(store.events.filter((event) => (!failed || tone(event.resource_status) === 'failed')
      && `${event.resource_name} ${event.resource_status} ${event.resource_status_reason}`.toLowerCase().includes(wanted)).reverse(), columns, order);
  }, [store.events, text, failed, order]);
  return (
    <div class="fill">
      <div class="bar filters">
        <input type="search" aria-label="Filter events" placeholder="Name, status or reason" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <label class="check"><input type="checkbox" checked={failed} onChange={() => setFailed(!failed)} />Failures only</label>
        <span class="grow" />
        <Export name={`${store.name}-events`} rows={shown} columns={columns} />
        {store.hasEarlier && <button onClick={() => void store.earlier()}>Load earlier</button>}
      </div>
      <Rows items={shown} height={33} label="Events"
        header={<Heads columns={columns} order={order} change={setOrder} />}
        row={(event) => {
          const key = keyOf(event);
          return (
            <tr key={event.id}>
              <td class="mono"><time dateTime={event.event_time}>{clock(event.event_time)}</time></td>
              <td class="name">{key && store.nodes.has(key) ? <button class="link" onClick={() => context.select(key)}>{path(event)}</button> : path(event)}</td>
              <td><Status value={event.resource_status} /></td>
              <td class="wide reason" title={oneWay(event.resource_status_reason)}>{oneWay(event.resource_status_reason)}</td>
            </tr>
          );
        }} />
    </div>
  );
}
