// One resource: reason, ids, properties, attributes, metadata, its events, and its verbs.
import { useState } from 'preact/hooks';
import { type Event, type Resource, stackPath } from './api';
import { go, href } from './router';
import { useKept } from './drafts';
import type { StackContext } from './stack-context';
import type { Node } from './stack-store';
import { clock, Confirm, ErrorNote, oneWay, plain, Status, useLoad, Value } from './widgets';

export function ResourceDetail({ context, node }: { context: StackContext; node: Node }) {
  const { api, store, route } = context;
  const [asked, setAsked] = useState<'signal' | 'unhealthy' | ''>('');
  const [data, setData, dropData] = useKept(`signal ${node.key}`, '{}');
  const path = (...rest: string[]) => stackPath(node.stackName, node.stackId, 'resources', node.resource_name, ...rest);
  const { value, error } = useLoad(() => api.get<{ resource: Resource }>(path()), [node.key, node.resource_status]);
  const metadata = useLoad(() => api.get<{ metadata: Record<string, unknown> }>(path('metadata')), [node.key, node.resource_status]);
  const events = store.events.filter((event) => event.resource_name === node.resource_name && event.links.some((link) => link.href.includes(`/${node.stackId}`))).slice(-8).reverse();
  const properties = useLoad(() => propertiesOf(context, node, events[0]), [node.key, events[0]?.id]);
  const close = () => go(location.hash.split('?')[0], true);
  const before = [...store.nodes.values()].filter((each) => each.stackId === node.stackId && each.required_by.includes(node.resource_name));
  const after = node.required_by.map((name) => store.nodes.get(`${node.stackId}/${name}`)).filter((each): each is Node => !!each);
  const waiting = node.resource_status.startsWith('INIT') ? before.filter((each) => !each.resource_status.endsWith('COMPLETE') || each.resource_status.startsWith('INIT')) : [];
  return (
    <aside class="detail" aria-label={`Resource ${node.resource_name}`}>
      <header><h2>{plain(node.resource_name)}</h2><button class="plain" aria-label="Close the resource" onClick={close}>✕</button></header>
      <p><Status value={node.resource_status} /> <a class="type" href={href(route.project, ['types', node.resource_type])}>{node.resource_type}</a></p>
      {node.resource_status_reason && node.resource_status_reason !== 'state changed' && <p class="reason">{oneWay(node.resource_status_reason)}</p>}
      {waiting.length > 0 && <p class="note">Waits for {links(context, waiting)}</p>}
      <dl class="facts-list">
        <dt>Physical id</dt><dd class="mono">{node.physical_resource_id || <span class="dim">none</span>}</dd>
        {node.nestedId && <><dt>Nested stack</dt><dd><a href={href(route.project, ['stacks', node.nestedName ?? '', node.nestedId])}>{node.nestedName}</a></dd></>}
        {before.length > 0 && <><dt>Needs</dt><dd>{links(context, before)}</dd></>}
        {after.length > 0 && <><dt>Needed by</dt><dd>{links(context, after)}</dd></>}
      </dl>
      <ErrorNote error={error} />
      <Values title="Properties" values={properties.value} />
      <Values title="Attributes" values={value?.resource.attributes} />
      <Values title="Metadata" values={metadata.value?.metadata} />
      <details open class="values"><summary>Events</summary>
        <ol class="small-events">{events.map((event) => <li key={event.id}><time>{clock(event.event_time)}</time> <Status value={event.resource_status} /></li>)}</ol>
      </details>
      <div class="actions left">
        <button onClick={() => setAsked('signal')}>Signal…</button>
        <button onClick={() => setAsked('unhealthy')}>Mark unhealthy…</button>
      </div>
      {asked === 'signal' && (
        <Confirm title={`Signal ${node.resource_name}`} label="Send" onClose={() => setAsked('')}
          run={async () => { await api.request('POST', path('signal'), JSON.parse(data)); dropData(); store.refresh(); }}>
          <label>Data of the signal, in JSON<textarea rows={6} value={data} spellcheck={false} onInput={(event) => setData(event.currentTarget.value)} /></label>
        </Confirm>
      )}
      {asked === 'unhealthy' && (
        <Confirm title={`Mark ${node.resource_name} unhealthy`} label="Mark" danger onClose={() => setAsked('')}
          run={async () => { await api.request('PATCH', path(), { mark_unhealthy: true, resource_status_reason: 'marked from the web page' }); store.refresh(); }}>
          <p>The next update replaces this resource.</p>
        </Confirm>
      )}
    </aside>
  );
}

/** The properties with which the last action on the resource worked: its newest event has them. */
async function propertiesOf({ api }: StackContext, node: Node, event: Event | undefined): Promise<Record<string, unknown>> {
  if (!event) return {};
  const path = stackPath(node.stackName, node.stackId, 'resources', node.resource_name, 'events', event.id);
  const found = await api.get<{ event: { resource_properties?: Record<string, unknown> } }>(path);
  return found.event.resource_properties ?? {};
}

function links(context: StackContext, nodes: Node[]) {
  return <>{nodes.slice(0, 12).map((each, index) => <>{index > 0 && ', '}<button class="link" onClick={() => context.select(each.key)}>{plain(each.resource_name)}</button></>)}{nodes.length > 12 && ` and ${nodes.length - 12} more`}</>;
}

function Values({ title, values }: { title: string; values: Record<string, unknown> | null | undefined }) {
  const shown = Object.entries(values ?? {}).filter(([, value]) => value !== null && value !== undefined);
  if (!shown.length) return null;
  return (
    <details class="values" open={title !== 'Metadata'}><summary>{title}</summary>
      <dl>{shown.map(([name, value]) => <><dt>{name}</dt><dd><Value value={value} /></dd></>)}</dl>
    </details>
  );
}
