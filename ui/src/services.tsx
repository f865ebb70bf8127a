// The engines of the service, for administrators.
import { useEffect } from 'preact/hooks';
import type { Api } from './api';
import { Age, Empty, ErrorNote, Status, useLoad } from './widgets';

interface Service { id: string; host: string; engine_id: string; binary: string; status: string; updated_at: string | null; created_at: string; report_interval: number }

export function ServicesView({ api }: { api: Api }) {
  const { value, error, again } = useLoad(() => api.get<{ services: Service[] }>('services'), [api]);
  useEffect(() => {
    const timer = setInterval(again, 5000);
    return () => clearInterval(timer);
  }, []);
  const services = value?.services ?? [];
  const utc = (time: string | null) => time && `${time}Z`;
  return (
    <main>
      <div class="bar"><h1>Services <span class="count">{services.length || ''}</span></h1></div>
      <ErrorNote error={error} />
      {value && !services.length && <Empty><p>No engine has reported yet.</p></Empty>}
      {services.length > 0 && (
        <div class="scroll"><table class="list">
          <thead><tr><th>Host</th><th>Status</th><th>Last heartbeat</th><th class="wide">Interval</th><th>Running for</th><th class="wide">Engine</th></tr></thead>
          <tbody>{services.map((each) => (
            <tr key={each.id}>
              <td>{each.host}</td><td><Status value={each.status} /></td>
              <td><Age time={utc(each.updated_at ?? each.created_at)} /></td><td class="wide">{each.report_interval} s</td>
              <td><Age time={utc(each.created_at)} /></td><td class="wide mono">{each.engine_id}</td>
            </tr>
          ))}</tbody>
        </table></div>
      )}
    </main>
  );
}
