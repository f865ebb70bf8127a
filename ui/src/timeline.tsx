// What took how long in an action: a bar for each resource, and the critical path.
import { useMemo, useState } from 'preact/hooks';
import { type Event, stackPath } from './api';
import type { StackContext } from './stack-page';
import { isBusy, type Node, ownStack, type StackStore } from './stack-store';
import { age, Empty, plain, tone, useClock, useLoad } from './widgets';

const SHOWN = 150;

interface Bar { key: string; name: string; type: string; begin: number; end: number | null; status: string; critical: boolean; depth: number }
interface Action { name: string; begin: number; end: number | null; bars: Bar[] }

/** The actions of a stack, the last one first, by the events of the stack itself. */
export function actionsOf(store: StackStore): Action[] {
  const actions: Action[] = [];
  for (const event of store.events) {
    const own = ownStack(event.links)?.id ?? '';
    const time = Date.parse(event.event_time);
    const cut = event.resource_status.indexOf('_');
    const name = event.resource_status.slice(0, cut), state = event.resource_status.slice(cut + 1);
    if (own === store.id && event.physical_resource_id === own) {
      if (state === 'IN_PROGRESS') actions.push({ name, begin: time, end: null, bars: [] });
      else if (actions.length) actions.at(-1)!.end = time;
      continue;
    }
    if (actions.length && event.physical_resource_id !== own) take(actions.at(-1)!, event, own, state, time, store);
  }
  actions.forEach((action) => markCritical(action, store));
  return actions.reverse();
}

function take(action: Action, event: Event, own: string, state: string, time: number, store: StackStore): void {
  const key = `${own}/${event.resource_name}`;
  let bar = action.bars.findLast((each) => each.key === key);
  if (state === 'IN_PROGRESS' || !bar) {
    const node = store.nodes.get(key);
    bar = { key, name: event.resource_name, type: node?.resource_type ?? event.resource_type ?? '', begin: time, end: null, status: event.resource_status, critical: false, depth: own === store.id ? 0 : 1 };
    action.bars.push(bar);
  }
  bar.status = event.resource_status;
  if (state !== 'IN_PROGRESS') bar.end = time;
}

/** Mark what held the action up: from the last one that ended back along what each one needed. */
function markCritical(action: Action, store: StackStore): void {
  const own = new Map(action.bars.filter((bar) => bar.depth === 0).map((bar) => [bar.name, bar]));
  const endOf = (bar: Bar) => bar.end ?? Number.MAX_SAFE_INTEGER;
  const later = (one: Bar, other: Bar) => endOf(other) - endOf(one) || other.begin - one.begin;
  let last = [...own.values()].sort(later)[0];
  const seen = new Set<string>();
  while (last && !seen.has(last.name)) {
    seen.add(last.name);
    last.critical = true;
    const node: Node | undefined = store.nodes.get(last.key);
    const near = action.name === 'DELETE' ? node?.required_by ?? []
      : [...store.nodes.values()].filter((each) => each.stackId === store.id && each.required_by.includes(last.name)).map((each) => each.resource_name);
    last = near.map((name) => own.get(name)).filter((bar): bar is Bar => !!bar).sort(later)[0];
  }
}

interface Phase { phase: string; seconds: number | null }
interface Told { resource_name: string; stack_id: string; phases?: Phase[]; critical?: boolean }

export function TimelinePanel({ context }: { context: StackContext }) {
  const { store, api } = context;
  const busy = isBusy(store.stack?.stack_status);
  useClock(busy ? 500 : 60000);
  const [chosen, setChosen] = useState(0);
  const [all, setAll] = useState(false);
  const [order, setOrder] = useState<'time' | 'duration'>('time');
  const told = useLoad(() => api.get<{ timeline: { resources?: Told[] } }>(stackPath(store.name, store.id, 'timeline')), [store.stack?.stack_status]);
  const actions = useMemo(() => actionsOf(store), [store.events, store.nodes]);
  const action = actions[Math.min(chosen, actions.length - 1)];
  if (!action) return <Empty><p class="dim">No events are stored for this stack.</p></Empty>;
  const last = Math.max(action.begin, ...action.bars.map((bar) => bar.end ?? bar.begin));
  const end = Math.max(action.end ?? (busy && chosen === 0 ? Date.now() : last), action.begin + 1000);
  const length = end - action.begin;
  const took = (bar: Bar) => (bar.end ?? end) - bar.begin;
  const bars = [...action.bars].sort((one, other) => (order === 'time' ? one.begin - other.begin : took(other) - took(one)));
  const shown = all ? bars : bars.slice(0, SHOWN);
  const known = new Map((chosen === 0 ? told.value?.timeline.resources ?? [] : []).map((each) => [`${each.stack_id}/${each.resource_name}`, each]));
  return (
    <div class="timeline">
      <div class="bar filters">
        <select aria-label="Action" value={chosen} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
          {actions.map((each, index) => <option value={index}>{each.name.toLowerCase()} at {new Date(each.begin).toLocaleString()}{each.end ? `, ${seconds(each.end - each.begin)}` : ''}</option>)}
        </select>
        <div class="segments" role="group" aria-label="Order"><button aria-pressed={order === 'time'} onClick={() => setOrder('time')}>by start</button><button aria-pressed={order === 'duration'} onClick={() => setOrder('duration')}>by duration</button></div>
        <span class="grow" /><span class="dim">{seconds(length)} in all; <span class="critical-key">critical path</span></span>
      </div>
      {!action.bars.length && <Empty><p class="dim">No resource was touched.</p></Empty>}
      <ol class="bars">{shown.map((bar) => {
        const left = ((bar.begin - action.begin) / length) * 100, width = Math.max(0.4, (took(bar) / length) * 100);
        const own = known.get(bar.key);
        const phases = own?.phases?.map((phase) => `${phase.phase} ${Math.round(phase.seconds ?? 0)} s`).join(', ');
        return (
          <li key={`${bar.key}${bar.begin}`} class={own?.critical ?? bar.critical ? 'critical' : ''}>
            <button class="link" style={{ paddingLeft: `${bar.depth * 14}px` }} onClick={() => context.select(bar.key)} title={bar.type}>{plain(bar.name)}</button>
            <span class="track" title={phases}>
              <span class="waiting" style={{ width: `${left}%` }} />
              <span class={`bar-body ${tone(bar.status)}`} style={{ left: `${left}%`, width: `${Math.min(width, 100 - left)}%` }} />
            </span>
            <span class="took">{seconds(took(bar))}</span>
          </li>
        );
      })}</ol>
      {bars.length > shown.length && <button class="more" onClick={() => setAll(true)}>Show all {bars.length}</button>}
      {store.hasEarlier && <p class="dim">Earlier events are not loaded. <button class="link" onClick={() => void store.earlier()}>Load earlier</button></p>}
    </div>
  );
}

function seconds(milliseconds: number): string {
  return milliseconds < 60000 ? `${Math.round(milliseconds / 1000)} s` : age(new Date(0).toISOString(), milliseconds);
}
