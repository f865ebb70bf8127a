// The page of one stack: its state and verbs, the failure first, and a tab for each view.
import { useEffect, useMemo, useReducer, useRef } from 'preact/hooks';
import type { Api } from './api';
import { DriftPanel } from './drift';
import { EventsPanel } from './events';
import { FailureCard } from './failure';
import { GraphPanel } from './graph-panel';
import { OutputsPanel } from './outputs';
import { ResourceDetail } from './resource-detail';
import { ResourcesPanel } from './resources';
import { go, href, type Route } from './router';
import { SnapshotsPanel } from './snapshots';
import { TABS, type StackContext, type Tab } from './stack-context';
import { StackStore } from './stack-store';
import { Live } from './stacks';
import { TemplatePanel } from './template-panel';
import { TimelinePanel } from './timeline';
import { Verbs } from './verbs';
import { Age, ErrorNote, oneWay, plain, Status } from './widgets';

function useStore(api: Api, name: string, id: string): StackStore {
  const store = useMemo(() => new StackStore(api, name, id), [api, name, id]);
  const [, redraw] = useReducer((turn: number) => turn + 1, 0);
  useEffect(() => {
    const unsubscribe = store.subscribe(() => redraw(undefined));
    store.start();
    return () => { unsubscribe(); store.stop(); };
  }, [store]);
  return store;
}

export function StackPage({ api, route, name, id, tab }: { api: Api; route: Route; name: string; id: string; tab: string }) {
  const store = useStore(api, name, id);
  const current: Tab = TABS.find((each) => each === tab) ?? 'graph';
  const chosen = route.query.get('resource') ?? '';
  const open = (next: Tab, query: Record<string, string> = {}) => go(href(route.project, ['stacks', name, id, next], query));
  const select = (key: string) => go(href(route.project, ['stacks', name, id, current], { resource: key }), true);
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }), [current, store.nodes.size > 0]);
  const context: StackContext = { api, store, route, select, open };
  const node = store.nodes.get(chosen.includes('/') ? chosen : `${id}/${chosen}`);
  return (
    <main class={node ? 'stack with-detail' : 'stack'} tabIndex={-1}>
      <Head context={context} />
      <ErrorNote error={store.error} />
      <FailureCard context={context} />
      <nav class="tabs" ref={tabs} aria-label="Views of the stack">
        {TABS.map((each) => (
          <a href={href(route.project, ['stacks', name, id, each])} aria-current={each === current ? 'page' : undefined}>{each}{countOf(each, store)}</a>
        ))}
      </nav>
      <div class="panels">
        <section class="panel" aria-label={current}>
          {current === 'graph' && <GraphPanel context={context} chosen={node?.key ?? ''} />}
          {current === 'resources' && <ResourcesPanel context={context} chosen={node?.key ?? ''} />}
          {current === 'timeline' && <TimelinePanel context={context} />}
          {current === 'events' && <EventsPanel context={context} />}
          {current === 'outputs' && <OutputsPanel context={context} />}
          {current === 'template' && <TemplatePanel context={context} />}
          {current === 'snapshots' && <SnapshotsPanel context={context} />}
          {current === 'drift' && <DriftPanel context={context} />}
        </section>
        {node && <ResourceDetail key={node.key} context={context} node={node} />}
      </div>
    </main>
  );
}

function countOf(tab: Tab, store: StackStore) {
  const count = tab === 'resources' ? store.nodes.size : 0;
  return count ? <span class="count"> {count}</span> : null;
}

function Head({ context }: { context: StackContext }) {
  const { store, route } = context;
  const stack = store.stack;
  return (
    <div class="head">
      <div class="bar">
        <a class="crumb" href={href(route.project, ['stacks'])}>Stacks</a><span class="dim" aria-hidden="true">/</span>
        <h1>{store.name}</h1>
        {stack && <Status value={stack.stack_status} />}
        {stack?.protected && <span class="flag">protected</span>}
        <Live connection={store.connection} />
        <span class="grow" />
        {stack && <Verbs context={context} stack={stack} />}
      </div>
      {stack && (
        <div class="facts">
          <Progress store={store} />
          <span>{oneWay(stack.stack_status_reason)}</span>
          <span class="dim">created <Age time={stack.creation_time} /> ago</span>
          {stack.updated_time && <span class="dim">updated <Age time={stack.updated_time} /> ago</span>}
          {(stack.tags ?? []).map((tag) => <a class="tag" title={plain(tag)} href={href(route.project, ['stacks'], { tags: tag })}>{plain(tag)}</a>)}
        </div>
      )}
    </div>
  );
}

function Progress({ store }: { store: StackStore }) {
  const all = store.nodes.size;
  const action = store.stack?.stack_status.split('_')[0];
  if (!all || !store.stack?.stack_status.endsWith('IN_PROGRESS')) return null;
  const done = [...store.nodes.values()].filter((node) => node.resource_status === `${action}_COMPLETE`).length;
  return <label class="progress"><progress max={all} value={done} aria-label="Resources that are complete" /> {done} of {all}</label>;
}
