// The events of a stack and of its nested stacks, the newest on top, as they happen.
import { useMemo, useState } from 'preact/hooks';
import type { StackContext } from './stack-context';
import { ownStack } from './stack-store';
import { clock, oneWay, plain, Rows, Status, tone } from './widgets';

export function EventsPanel({ context }: { context: StackContext }) {
  const { store } = context;
  const [text, setText] = useState('');
  const [failed, setFailed] = useState(false);
  const shown = useMemo(() => {
    const wanted = text.toLowerCase();
    return store.events.filter((event) => (!failed || tone(event.resource_status) === 'failed')
      && `${event.resource_name} ${event.resource_status} ${event.resource_status_reason}`.toLowerCase().includes(wanted)).reverse();
  }, [store.events, text, failed]);
  return (
    <div class="fill">
      <div class="bar filters">
        <input type="search" aria-label="Filter events" placeholder="Name, status or reason" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <label class="check"><input type="checkbox" checked={failed} onChange={() => setFailed(!failed)} />Failures only</label>
        <span class="grow" />
        {store.hasEarlier && <button onClick={() => void store.earlier()}>Load earlier</button>}
      </div>
      <Rows items={shown} height={33} label="Events"
        header={<tr><th>Time</th><th>Resource</th><th>Status</th><th class="wide">Reason</th></tr>}
        row={(event) => {
          const own = ownStack(event.links);
          const nested = own && own.id !== store.id;
          return (
            <tr key={event.id}>
              <td class="mono"><time dateTime={event.event_time}>{clock(event.event_time)}</time></td>
              <td class="name">{nested && <span class="dim" title={own.name}>… / </span>}<button class="link" onClick={() => context.select(`${own?.id}/${event.resource_name}`)}>{plain(event.resource_name)}</button></td>
              <td><Status value={event.resource_status} /></td>
              <td class="wide reason" title={oneWay(event.resource_status_reason)}>{oneWay(event.resource_status_reason)}</td>
            </tr>
          );
        }} />
    </div>
  );
}
