// The engines of the service, for administrators.
import { useEffect } from 'preact/hooks';
import type { Api } from './api';
import { href } from './router';
import { Age, Empty, ErrorNote, plain, Status, useLoad } from './widgets';

interface AtWork { id: string; stack_name: string; project: string; stack_status: string; since: string | null }
interface Service { stacks?: AtWork[]; id: string; host: string; engine_id: string; binary: string; status: string; updated_at: string | null; created_at: string; report_interval: number }

export function ServicesView({ api }: { api: Api }) {
  const { value, error, again } = useLoad(() => api.get<{ services: Service[] }>('services', { with_stacks: true }), [api]);
  useEffect(() => {
    const timer = setInterval(again, 5000);
    return () => clearInterval(timer);
  }, []);
  const services = value?.services ?? [];
  const working = services.flatMap((each) => (each.stacks ?? []).map((stack) => ({ ...stack, host: each.host })));
  const utc = (time: string | null) => time && `${time}Z`;
  return (
    <main>
      <div class="bar"><h1>Services <span class="count">{services.length || ''}</span></h1></div>
      <ErrorNote error={error} />
      {value && !services.length && <Empty><p>No engine has reported yet.</p></Empty>}
      {services.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Engines"><table class="list">
          <thead><tr><th>Host</th><th>Status</th><th>Last heartbeat</th><th class="wide">Interval</th><th>Running for</th><th>Stacks at work</th><th class="wide">Engine</th></tr></thead>
          <tbody>{services.map((each) => (
            <tr key={each.id}>
              <td>{each.host}</td><td><Status value={each.status} /></td>
              <td><Age time={utc(each.updated_at ?? each.created_at)} /></td><td class="wide">{each.report_interval} s</td>
              <td><Age time={utc(each.created_at)} /></td><td>{each.stacks?.length ?? ''}</td><td class="wide mono">{each.engine_id}</td>
            </tr>
          ))}</tbody>
        </table></div>
      )}
      {services.length > 0 && <h2>Stacks at work <span class="count">{working.length}</span></h2>}
      {services.length > 0 && !working.length && <p class="dim">No engine works on a stack now.</p>}
      {working.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Stacks at work"><table class="list">
          <thead><tr><th>Name</th><th>Status</th><th>Since</th><th class="wide">Project</th><th class="wide">Host</th></tr></thead>
          <tbody>{working.map((each) => (
            <tr key={each.id}>
              <td class="name">{each.project === api.session.project ? <a href={href(each.project, ['stacks', each.stack_name, each.id])}>{plain(each.stack_name)}</a> : plain(each.stack_name)}</td>
              <td><Status value={each.stack_status} /></td><td><Age time={utc(each.since)} /></td>
              <td class="wide mono">{plain(each.project)}</td><td class="wide">{each.host}</td>
            </tr>
          ))}</tbody>
        </table></div>
      )}
    </main>
  );
}
