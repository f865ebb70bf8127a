// The login. Nothing of it is stored: a reload of the page asks again.
import { useState } from 'preact/hooks';
import { type Config, type Login, logIn, type Session } from './api';
import { ErrorNote } from './widgets';

const METHODS: [Login['method'], string][] = [
  ['password', 'Password'], ['application_credential', 'Application credential'], ['token', 'Token'],
];

export function LoginPage({ config, wanted, onSession }: {
  config: Config; wanted: string; onSession: (session: Session) => void;
}) {
  return (
    <main class="login">
      <div class="card">
        <h1><span class="logo" aria-hidden="true" /> heat_lite</h1>
        {config.login === 'keystone'
          ? <KeystoneForm config={config} onSession={onSession} />
          : <TokenForm config={config} wanted={wanted} onSession={onSession} />}
        <p class="dim">The login stays in the memory of this tab and ends with it.</p>
      </div>
    </main>
  );
}

function TokenForm({ config, wanted, onSession }: { config: Config; wanted: string; onSession: (session: Session) => void }) {
  const [token, setToken] = useState('');
  const [error, setError] = useState<unknown>(null);
  const submit = async (event: globalThis.Event) => {
    event.preventDefault();
    const project = wanted || config.projects?.[0] || 'default';
    const answer = await fetch(`${config.api}/${encodeURIComponent(project)}/stacks?limit=1`, { headers: { 'X-Auth-Token': token } });
    if (answer.ok) onSession(localSession(project, token));
    else setError(new Error('The service refuses this token. It is the content of the file "token" in the data folder of the service.'));
  };
  return (
    <form onSubmit={submit}>
      <label>Token of the service
        <input type="password" required autocomplete="off" value={token} onInput={(event) => setToken(event.currentTarget.value)} />
      </label>
      <ErrorNote error={error} />
      <button class="primary">Open</button>
    </form>
  );
}

export function localSession(project: string, token: string | null): Session {
  return { token, project, projectName: project, user: '', roles: ['admin'], expires: null };
}

function KeystoneForm({ config, onSession }: { config: Config; onSession: (session: Session) => void }) {
  const [login, setLogin] = useState<Login>({ method: 'password', user: '', domain: 'Default', secret: '', project: '', projectDomain: 'Default' });
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const set = (change: Partial<Login>) => setLogin((old) => ({ ...old, ...change }));
  const submit = async (event: globalThis.Event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try { onSession(await logIn(config.auth_url!, login.method === 'token' ? { ...login, project: '' } : login)); } catch (problem) { setError(problem); setBusy(false); }
  };
  if (!config.auth_url) return <p class="note failed" role="alert">The service names no Keystone for this page. Its operator sets [heat_lite] web_page_auth_url.</p>;
  const field = (name: keyof Login, label: string, type: 'text' | 'password' = 'text') => (
    <label>{label}
      <input type={type as 'text'} required value={login[name]} autocomplete={type === 'password' ? 'current-password' : name === 'user' ? 'username' : 'off'}
        onInput={(event) => set({ [name]: event.currentTarget.value })} />
    </label>
  );
  return (
    <form onSubmit={submit}>
      <div class="segments" role="group" aria-label="Kind of login">
        {METHODS.map(([method, label]) => (
          <button type="button" aria-pressed={login.method === method} onClick={() => set({ method })}>{label}</button>
        ))}
      </div>
      {login.method === 'password' && <>
        <div class="pair">{field('user', 'User')}{field('domain', 'Domain')}</div>
        {field('secret', 'Password', 'password')}
        <div class="pair">{field('project', 'Project')}{field('projectDomain', 'Domain of the project')}</div>
      </>}
      {login.method === 'application_credential' && <>{field('user', 'Id of the credential')}{field('secret', 'Secret', 'password')}</>}
      {login.method === 'token' && field('secret', 'Token with a project', 'password')}
      <ErrorNote error={error} />
      <button class="primary" disabled={busy}>Log in</button>
    </form>
  );
}
