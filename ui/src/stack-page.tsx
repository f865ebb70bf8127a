// The page of one stack: its state and verbs, the failure first, and a tab for each view.
import { useEffect, useMemo, useReducer, useRef } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { type Api, ApiError, type Stack } from './api';
import { DriftPanel } from './drift';
import { EventsPanel } from './events';
import { FailureCard } from './failure';
import { GraphPanel } from './graph-panel';
import { HistoryPanel } from './history';
import { OutputsPanel } from './outputs';
import { ResourceDetail } from './resource-detail';
import { ResourcesPanel } from './resources';
import { go, href, type Route } from './router';
import { SnapshotsPanel } from './snapshots';
import { TABS, type StackContext, type Tab } from './stack-context';
import { isBusy, StackStore } from './stack-store';
import { type Draft, draftKey } from './compose';
import { dropDraft, readDraft } from './drafts';
import { Live } from './stacks';
import { TemplatePanel } from './template-panel';
import { TimelinePanel } from './timeline';
import { Verbs } from './verbs';
import { Age, Empty, ErrorNote, oneWay, plain, Status, useLoad } from './widgets';

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
  const settled = useRef('');
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }), [current, store.nodes.size > 0]);
  const context: StackContext = { api, store, route, select, open };
  const node = store.nodes.get(chosen.includes('/') ? chosen : `${id}/${chosen}`);
  const state = store.stack?.stack_status ?? '';
  const leave = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && node && !(event.target as Element).closest('dialog, input, details[open].dropdown')) select('');
  };
  // an update that is over needs its draft no more; one that was rolled back has its text there
  useEffect(() => {
    const key = draftKey(route.project, id);
    if (/^(?!ROLLBACK).*COMPLETE$/.test(state) && readDraft<Draft>(key)?.sent && state === settled.current) dropDraft(key);
    settled.current = isBusy(state) ? state.replace('IN_PROGRESS', 'COMPLETE') : settled.current;
  }, [state]);
  if (state === 'DELETE_COMPLETE') return <Gone name={name} project={route.project}>The stack was deleted{store.stack?.deletion_time && <> <Age time={store.stack.deletion_time} /> ago</>}. Nothing of it is left here.</Gone>;
  if (store.error?.status === 404) return <Gone name={name} project={route.project}>{store.stack ? 'The stack is not there any more.' : 'There is no stack of this name and id in the project. It may have been deleted, or the address is of another project.'}</Gone>;
  return (
    <main class={node ? 'stack with-detail' : 'stack'} tabIndex={-1} onKeyDown={leave}>
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
          {current === 'history' && <HistoryPanel context={context} />}
          {current === 'snapshots' && <SnapshotsPanel context={context} />}
          {current === 'drift' && <DriftPanel context={context} />}
        </section>
        {node && <ResourceDetail key={node.key} context={context} node={node} />}
      </div>
    </main>
  );
}

/** What is shown of a stack that is not there: that, and nothing else. */
function Gone({ name, project, children }: { name: string; project: string; children: ComponentChildren }) {
  return (
    <main tabIndex={-1}>
      <Empty><h1>{plain(name)}</h1><p role="alert">{children}</p><p><a class="button primary" href={href(project, ['stacks'])}>All stacks</a></p></Empty>
    </main>
  );
}

/** An address with a name only: it leads to the living stack of that name. */
export function StackByName({ api, route, name, rest }: { api: Api; route: Route; name: string; rest: string[] }) {
  const { error } = useLoad(async () => {
    const { stack } = await api.get<{ stack: Stack }>(`stacks/${encodeURIComponent(name)}`, { resolve_outputs: false });
    go(href(route.project, ['stacks', stack.stack_name, stack.id, ...rest], Object.fromEntries(route.query)), true);
  }, [name]);
  if (error instanceof ApiError && error.status === 404) return <Gone name={name} project={route.project}>There is no stack of this name in the project.</Gone>;
  return <main>{error ? <ErrorNote error={error} /> : <p class="boot">Loading…</p>}</main>;
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
