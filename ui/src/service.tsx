// The service itself: its version, the limits of the project, the engines and their work, the documentation.
import { useEffect, useState } from 'preact/hooks';
import { type Api, ApiError } from './api';
import { href } from './router';
import { Age, type Column, ErrorNote, Export, Heads, type Order, ordered, plain, Status, useLoad } from './widgets';

interface AtWork { id: string; stack_name: string; project: string; stack_status: string; since: string | null; host: string }
interface Engine { stacks?: AtWork[]; id: string; host: string; engine_id: string; status: string; updated_at: string | null; created_at: string; report_interval: number }
interface Limit { name: string; limit: number; help: string }
interface Build { api: { revision: string }; engine: { revision: string } }

/** Milliseconds between two reads. */
const REFRESH = 5000;
/** From this part of a limit on it is pointed out. */
const NEAR = 0.8;
const DOCUMENTS: [string, string][] = [
  ['First stack', 'guide/index.md'], ['Writing templates', 'templates.md'], ['All actions on stacks', 'stacks.md'], ['Why does it wait?', 'why.md'],
  ['The command line', 'cli.md'], ['This page', 'ui.md'], ['Limits', 'limits.md'], ['For operators', 'operations/index.md'],
];
const utc = (time: string | null) => time && `${time}Z`;

const ENGINES: Column<Engine>[] = [
  { label: 'Host', value: (each) => each.host }, { label: 'Status', value: (each) => each.status },
  { label: 'Last heartbeat', value: (each) => each.updated_at ?? each.created_at }, { label: 'Interval', value: (each) => each.report_interval, class: 'wide' },
  { label: 'Running for', value: (each) => each.created_at }, { label: 'Stacks at work', value: (each) => each.stacks?.length },
  { label: 'Engine', value: (each) => each.engine_id, class: 'wide' },
];
const WORK: Column<AtWork>[] = [
  { label: 'Name', value: (each) => each.stack_name }, { label: 'Status', value: (each) => each.stack_status }, { label: 'Since', value: (each) => each.since },
  { label: 'Project', value: (each) => each.project, class: 'wide' }, { label: 'Host', value: (each) => each.host, class: 'wide' },
];

export function ServiceView({ api }: { api: Api }) {
  const build = useLoad(() => api.get<Build>('build_info'), [api]);
  const engines = useLoad(() => api.get<{ services: Engine[] }>('services', { with_stacks: true }), [api]);
  const limits = useLoad(async () => {
    const [{ limits: found }, { count }] = await Promise.all([
      api.get<{ limits: Limit[] }>('limits'), api.get<{ count: number }>('stacks', { limit: 1, with_count: true, show_hidden: true }),
    ]);
    return { limits: found, used: { max_stacks_per_tenant: count } };
  }, [api]);
  useEffect(() => {
    const timer = setInterval(() => { engines.again(); limits.again(); }, REFRESH);
    return () => clearInterval(timer);
  }, []);
  const isRefused = engines.error instanceof ApiError && engines.error.status === 403;
  const { api: own, engine } = build.value ?? {};
  return (
    <main tabIndex={-1}>
      <div class="bar"><h1>Service</h1>{own && <span class="dim">version {own.revision}{engine!.revision !== own.revision && `, engine ${engine!.revision}`}</span>}</div>
      <ErrorNote error={engines.error && !isRefused ? engines.error : build.error ?? limits.error} />
      {isRefused ? <p class="note">Engines and their work are shown to administrators.</p> : engines.value && <Engines api={api} engines={engines.value.services} />}
      {limits.value && <Limits api={api} {...limits.value} />}
      <h2>Documentation</h2>
      <p class="links">{DOCUMENTS.map(([title, path]) => <a href={href(api.session.project, ['docs', ...path.split('/')])}>{title}</a>)}<a href={href(api.session.project, ['types'])}>Resource types</a><a href={href(api.session.project, ['api'])}>REST API</a></p>
    </main>
  );
}

/** The groups of limits by their names; each limit is in the first that fits. */
const GROUPS: [string, RegExp][] = [['At a time', /requests|streams|at_work/], ['In the project', /_per_tenant|_per_alarm/], ['In a stack', /./]];

function Limits({ api, limits, used }: { api: Api; limits: Limit[]; used: Record<string, number> }) {
  const groups = GROUPS.map(([title], index) => ({ title, own: limits.filter((each) => GROUPS.findIndex(([, names]) => names.test(each.name)) === index) }));
  return (
    <section class="limits" aria-label="Limits">
      <h2>Limits of {api.session.projectName}</h2>
      <div class="columns">{[groups[1], groups[2], groups[0]].map(({ title, own }) => (
        <section key={title}><h3>{title}</h3>{own.map((each) => <LimitItem key={each.name} {...each} used={used[each.name]} />)}</section>
      ))}</div>
    </section>
  );
}

/** One limit in a line; what it means is shown on demand. */
function LimitItem({ name, limit, help, used }: Limit & { used?: number }) {
  const size = name.endsWith('_size') ? `${(limit / 1024).toLocaleString()} KiB` : limit.toLocaleString();
  return (
    <details><summary><span class="grow">{name.replace(/^max_/, '').replace('_per_tenant', '').replaceAll('_', ' ')}</span>
      {used !== undefined && limit > 0 && <meter max={limit} high={limit * NEAR} value={used} aria-label={`Used of ${name}`} />}
      <span class="quota">{used !== undefined && `${used.toLocaleString()} of `}{limit < 0 || (limit === 0 && /0 means no limit/.test(help)) ? 'no limit' : size}</span></summary>
      <p class="help">{help} <code>{name}</code></p>
    </details>
  );
}

function Engines({ api, engines }: { api: Api; engines: Engine[] }) {
  const [order, setOrder] = useState<Order | null>(null);
  const [workOrder, setWorkOrder] = useState<Order | null>(null);
  const working = engines.flatMap((each) => (each.stacks ?? []).map((stack) => ({ ...stack, host: each.host })));
  const rows = ordered(engines, ENGINES, order), work = ordered(working, WORK, workOrder);
  return (
    <>
      <div class="bar"><h2>Engines <span class="count">{engines.length}</span></h2><span class="grow" /><Export name="engines" rows={rows} columns={ENGINES} /></div>
      {!engines.length ? <p class="note">No engine has reported yet.</p> : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Engines"><table class="list">
          <thead><Heads columns={ENGINES} order={order} change={setOrder} /></thead>
          <tbody>{rows.map((each) => (
            <tr key={each.id}>
              <td>{each.host}</td><td><Status value={each.status} /></td>
              <td><Age time={utc(each.updated_at ?? each.created_at)} /></td><td class="wide">{each.report_interval} s</td>
              <td><Age time={utc(each.created_at)} /></td><td>{each.stacks?.length ?? ''}</td><td class="wide mono">{each.engine_id}</td>
            </tr>
          ))}</tbody>
        </table></div>
      )}
      <div class="bar"><h2>Stacks at work <span class="count">{working.length}</span></h2></div>
      {!working.length ? <p class="dim">No engine works on a stack now.</p> : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Stacks at work"><table class="list">
          <thead><Heads columns={WORK} order={workOrder} change={setWorkOrder} /></thead>
          <tbody>{work.map((each) => (
            <tr key={each.id}>
              <td class="name">{each.project === api.session.project ? <a href={href(each.project, ['stacks', each.stack_name, each.id])}>{plain(each.stack_name)}</a> : plain(each.stack_name)}</td>
              <td><Status value={each.stack_status} /></td><td><Age time={utc(each.since)} /></td>
              <td class="wide mono">{plain(each.project)}</td><td class="wide">{each.host}</td>
            </tr>
          ))}</tbody>
        </table></div>
      )}
    </>
  );
}
