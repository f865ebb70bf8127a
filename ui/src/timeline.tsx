// What took how long in an action: the phases of each resource as a bar, and the critical path.
import { useState } from 'preact/hooks';
import { ApiError, stackPath } from './api';
import type { StackContext } from './stack-context';
import { DEPTH, isBusy, pathOf } from './stack-store';
import { age, clock, Empty, ErrorNote, tone, useClock, useLoad } from './widgets';

const SHOWN = 150;
/** Milliseconds between two reads while the stack is busy. */
const REFRESH = 3000;

type Kind = 'waiting' | 'calling' | 'polling' | 'working';
interface Phase { phase: Kind; started_at: string; ended_at: string | null; status: string | null }
interface Row { id: string; resource_name: string; resource_type: string; stack_id: string; phases: Phase[]; critical: boolean }
interface Action { number: number; action: string; partial?: boolean; started_at: string; ended_at: string | null; seconds: number | null }
interface Timeline extends Action { actions: Action[]; resources: Row[] }

/** The phases as people read them; the events of older versions do not tell calling from polling. */
const WORDS: Record<Kind, string> = {
  waiting: 'waiting for other resources', calling: 'calling', polling: 'waiting for the cloud', working: 'calling and waiting',
};

export function TimelinePanel({ context }: { context: StackContext }) {
  const { store, api } = context;
  const busy = isBusy(store.stack?.stack_status);
  useClock(busy ? 500 : 60000);
  const [chosen, setChosen] = useState<number | undefined>();
  const [all, setAll] = useState(false);
  const [order, setOrder] = useState<'time' | 'duration'>('time');
  const [critical, setCritical] = useState(false);
  const turn = busy && chosen === undefined ? Math.floor(Date.now() / REFRESH) : 0;
  const path = stackPath(store.name, store.id, 'timeline');
  const { value, error } = useLoad(
    () => api.get<{ timeline: Timeline }>(path, { nested_depth: DEPTH, number: chosen }), [path, chosen, turn, store.stack?.stack_status],
  );
  if (error instanceof ApiError && error.status === 404) return <Empty><p class="dim">No action is stored: there are no events yet, or the oldest were deleted (max_events_per_stack).</p></Empty>;
  if (!value) return error ? <ErrorNote error={error} /> : <Empty><p class="dim">Reading the events…</p></Empty>;
  const action = value.timeline;
  const exact = hasFractions(action.resources);
  const begin = Date.parse(action.started_at);
  const last = Math.max(endOf(action, action.ended_at ? 0 : Date.now()), begin), end = Math.max(last, begin + (exact ? 10 : 1000));
  const took = (row: Row) => row.phases.filter((each) => each.phase !== 'waiting').reduce((sum, each) => sum + length(each, end), 0);
  const chosenRows = critical ? action.resources.filter((row) => row.critical) : action.resources;
  const rows = order === 'time' ? chosenRows : [...chosenRows].sort((one, other) => took(other) - took(one));
  const shown = all ? rows : rows.slice(0, SHOWN);
  return (
    <div class="timeline">
      <div class="bar filters">
        <select aria-label="Action" value={action.number} onChange={(event) => setChosen(numberOf(event.currentTarget.value, action))}>
          {[...action.actions].reverse().map((each) => <option value={each.number}>{each.action.toLowerCase()} at {new Date(each.started_at).toLocaleString()}{each.seconds === null ? '' : `, ${seconds(each.seconds * 1000, exact)}`}</option>)}
        </select>
        <div class="segments" role="group" aria-label="Order"><button aria-pressed={order === 'time'} onClick={() => setOrder('time')}>by start</button><button aria-pressed={order === 'duration'} onClick={() => setOrder('duration')}>by duration</button></div>
        <label class="check"><input type="checkbox" checked={critical} onChange={() => setCritical(!critical)} />Only the critical path</label>
        <span class="grow" /><span class="dim">{seconds(last - begin, exact)} in all</span>
      </div>
      {action.partial && <p class="note">The oldest events of this action were deleted (max_events_per_stack). What happened before {clock(action.started_at)} is missing.</p>}
      <Legend rows={rows} />
      <ErrorNote error={error} />
      {!rows.length && <Empty><p class="dim">No resource was touched.</p></Empty>}
      <ol class="bars">{shown.map((row) => (
        <li key={row.id} class={row.critical ? 'critical' : ''}>
          <button class="link" onClick={() => context.select(row.id)} title={row.resource_type}>{pathOf(store.nodes, row.stack_id, row.resource_name)}</button>
          <Track row={row} begin={begin} end={end} exact={exact} />
          <span class="took">{seconds(took(row), exact)}</span>
        </li>
      ))}</ol>
      {rows.length > shown.length && <button class="more" onClick={() => setAll(true)}>Show all {rows.length}</button>}
    </div>
  );
}

/** The phases of one resource; the last words are those of the critical path. */
function Track({ row, begin, end, exact }: { row: Row; begin: number; end: number; exact: boolean }) {
  const text = row.phases.map((each) => `${WORDS[each.phase]} ${seconds(length(each, end), exact)}`).join(', ') || 'began before the oldest stored event';
  return (
    <span class="track" role="img" title={text} aria-label={row.critical ? `${text}; on the critical path` : text}>
      {row.phases.map((each) => {
        const left = ((Date.parse(each.started_at) - begin) / (end - begin)) * 100;
        const width = Math.min((length(each, end) / (end - begin)) * 100, 100 - left);
        return <span class={`phase ${each.phase} ${tone(each.status)}`} style={{ left: `min(${left}%, 100% - 3px)`, width: `${width}%` }} />;
      })}
    </span>
  );
}

function Legend({ rows }: { rows: Row[] }) {
  const kinds = (Object.keys(WORDS) as Kind[]).filter((kind) => rows.some((row) => row.phases.some((each) => each.phase === kind)));
  return (
    <p class="phases dim">
      {kinds.map((kind) => <span class="key"><span class="track"><span class={`phase ${kind} complete`} /></span>{WORDS[kind]}</span>)}
      {rows.length > 0 && <span class="critical-key">critical path: what held up the end</span>}
    </p>
  );
}

/** The last action is followed, so its number is not kept. */
function numberOf(text: string, action: Timeline): number | undefined {
  return Number(text) === action.actions.at(-1)?.number ? undefined : Number(text);
}

function endOf(action: Timeline, now: number): number {
  const times = action.resources.flatMap((row) => row.phases.map((each) => Date.parse(each.ended_at ?? each.started_at)));
  return Math.max(now, action.ended_at ? Date.parse(action.ended_at) : 0, ...times);
}

function length(phase: Phase, end: number): number {
  return Math.max((phase.ended_at ? Date.parse(phase.ended_at) : end) - Date.parse(phase.started_at), 0);
}

/** Databases that keep whole seconds give no digits behind them. */
const hasFractions = (rows: Row[]): boolean => rows.some((row) => row.phases.some((each) => !each.started_at.endsWith('.000Z')));

/** A duration, with as many digits as have a meaning. */
function seconds(milliseconds: number, exact: boolean): string {
  if (exact && milliseconds < 100) return `${Math.round(milliseconds)} ms`;
  if (exact && milliseconds < 10000) return `${(milliseconds / 1000).toFixed(milliseconds < 1000 ? 2 : 1)} s`;
  return milliseconds < 60000 ? `${Math.round(milliseconds / 1000)} s` : age(new Date(0).toISOString(), milliseconds);
}
