// The start of the page: its configuration, the login, the frame around the views.
import { h, render } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Api, type Config, RETRY, type Session } from './api';
import { localSession, LoginPage } from './login';
import { go, href, type Route, useRoute } from './router';
import { ProjectSwitch } from './projects';
import { ServiceView } from './service';
import { StacksView } from './stacks';
import { StackByName, StackPage } from './stack-page';
import { TABS } from './stack-context';
import { dropAllDrafts } from './drafts';
import { ErrorNote, useLoad } from './widgets';
import { ComposePage } from './compose';
import { TypesView } from './types-view';
import { ApiView } from './api-view';

function App({ config, token }: { config: Config; token: string | null }) {
  const route = useRoute();
  const [session, setSession] = useState<Session | null>(token && config.login === 'token' ? localSession(route.project || (config.projects?.[0] ?? 'default'), token) : null);
  const [ended, setEnded] = useState(false);
  const isLocal = config.login !== 'keystone';
  useEffect(() => {
    if (config.login === 'none' && route.project && session?.project !== route.project) {
      setSession(localSession(route.project, null));
    } else if (config.login === 'token' && session && route.project && session.project !== route.project) {
      setSession(localSession(route.project, session.token));
    }
  }, [route.project]);
  useEffect(() => {
    if (isLocal && !route.project) go(href(config.projects?.[0] ?? 'default', ['stacks']), true);
    else if (session && !isLocal && !route.project) go(href(session.project, ['stacks']), true);
  }, [route.project, session]);
  const api = useMemo(() => session && new Api(config, session, () => {
    if (config.login !== 'none') { setEnded(true); setSession(null); }
  }), [session]);
  if (!api) {
    if (config.login === 'none') return <p class="boot">Loading…</p>;
    return <>
      {ended && <p class="note failed banner" role="alert">The login has ended. Log in again to continue at the same place.</p>}
      <LoginPage config={config} wanted={route.project} onSession={(made) => { setEnded(false); setSession(made); }} />
    </>;
  }
  if (!route.project) return null;
  const other = route.project !== api.session.project;
  return (
    <>
      <a class="skip" href="#content" onClick={(event) => { event.preventDefault(); document.querySelector<HTMLElement>('main')?.focus(); }}>Skip to the content</a>
      <Frame api={api} route={route} config={config} onLogOut={() => { dropAllDrafts(); setSession(null); }} onSession={setSession} />
      {other ? <main><p class="note failed">This address belongs to project {route.project}; you are logged in to {api.session.projectName}. <a href={href(api.session.project, ['stacks'])}>Show your stacks</a></p></main>
        : <View api={api} route={route} />}
    </>
  );
}

function View({ api, route }: { api: Api; route: Route }) {
  const [part, name, id, tab] = route.parts;
  useEffect(() => { document.title = [name && part === 'stacks' ? name : part, 'heat_lite'].filter(Boolean).join(' · '); }, [part, name]);
  if (part === 'stacks' && name && (!id || id === 'update' || (TABS as readonly string[]).includes(id))) return <StackByName key={name} api={api} route={route} name={name} rest={id ? [id] : []} />;
  if (part === 'stacks' && id && tab === 'update') return <ComposePage key={id} api={api} route={route} stack={{ name, id }} />;
  if (part === 'stacks' && id) return <StackPage key={id} api={api} route={route} name={name} id={id} tab={tab ?? ''} />;
  if (part === 'create') return <ComposePage key="create" api={api} route={route} stack={null} />;
  if (part === 'types') return <TypesView api={api} route={route} name={name ?? ''} />;
  if (part === 'api') return <ApiView api={api} route={route} id={name ?? ''} />;
  if (part === 'docs') return <Docs route={route} />;
  if (part === 'service') return <ServiceView api={api} />;
  return <StacksView key={route.project} api={api} route={route} />;
}

/** The documentation: its reader is loaded when it is first opened. */
function Docs({ route }: { route: Route }) {
  const { value, error } = useLoad(async () => (await import('./docs-view')).DocsView, []);
  return value ? h(value, { route }) : <main>{error ? <ErrorNote error={error} /> : <p class="boot">Loading…</p>}</main>;
}

function Frame({ api, route, config, onLogOut, onSession }: { api: Api; route: Route; config: Config; onLogOut: () => void; onSession: (session: Session) => void }) {
  const here = (route.parts[0] ?? 'stacks').replace('create', 'stacks');
  const link = (part: string, label: string, kind?: string) => (
    <a class={kind} href={href(route.project, [part])} aria-current={here === part ? 'page' : undefined}>{label}</a>
  );
  return (
    <header class="top">
      <a class="brand" href={href(route.project, ['stacks'])}><span class="logo" aria-hidden="true" />heat_lite</a>
      <nav aria-label="Main">{link('stacks', 'Stacks')}{link('types', 'Types')}{link('service', 'Service')}{link('api', 'API', 'wide')}{link('docs', 'Docs')}</nav>
      <span class="grow" />
      <ProjectSwitch api={api} project={route.project} onSession={onSession} />
      {api.session.user && <span class="user">{api.session.user}</span>}
      <ThemeButton />
      {config.login !== 'none' && <button class="plain" onClick={onLogOut}>Log out</button>}
    </header>
  );
}

function ThemeButton() {
  const [theme, setTheme] = useState('');
  const dark = theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  const change = () => {
    const next = dark ? 'light' : 'dark';
    document.documentElement.dataset.theme = next;
    setTheme(next);
    window.dispatchEvent(new CustomEvent('themechange'));
  };
  return <button class="plain" aria-label={dark ? 'Light colours' : 'Dark colours'} onClick={change}>{dark ? '☀' : '☾'}</button>;
}

// The token of the link that `heat-lite up --require-token` prints; it does not stay in the address.
function takeToken(): string | null {
  const [, token] = /^#token=(.+)$/.exec(location.hash) ?? [];
  if (token) history.replaceState(null, '', location.pathname);
  return token ? decodeURIComponent(token) : null;
}

async function start(): Promise<void> {
  const root = document.getElementById('app')!;
  let config: Config;
  try {
    config = await (await fetch('config.json', { cache: 'no-cache' })).json() as Config;
  } catch {
    root.textContent = 'The file config.json beside this page cannot be read. The page tries again until the service is up.';
    setTimeout(() => void start(), RETRY);
    return;
  }
  root.replaceChildren();
  render(<App config={config} token={takeToken()} />, root);
  // what is loaded on demand is there when the service is away for a while
  requestIdleCallback(() => void Promise.allSettled([import('./graph'), import('./editor'), import('./source'), import('./docs-view')]));
}

void start();
