// The switch to another project: of the user's own at Keystone, of the service's without a login.
import { useState } from 'preact/hooks';
import { type Api, logIn, projectsOf, type Session } from './api';
import { go, href } from './router';
import { Dialog, ErrorNote, useLoad } from './widgets';

const OTHER = '…';

export function ProjectSwitch({ api, project, onSession }: { api: Api; project: string; onSession: (session: Session) => void }) {
  const { config, session } = api;
  const [asked, setAsked] = useState(false);
  const [name, setName] = useState('');
  const [error, setError] = useState<unknown>(null);
  const hasKeystone = config.login === 'keystone';
  const { value } = useLoad(async () => (hasKeystone ? projectsOf(config.auth_url!, session.token!) : (config.projects ?? []).map((each) => ({ id: each, name: each }))), [session.token]);
  const [seen] = useState(new Map<string, string>());
  seen.set(project, session.projectName);
  const projects = [...new Map([...seen, ...(value ?? []).map((each): [string, string] => [each.id, each.name])])].map(([id, name]) => ({ id, name }));
  const change = async (id: string) => {
    setError(null);
    if (id === OTHER) { setAsked(true); return; }
    try {
      if (hasKeystone) onSession(await logIn(config.auth_url!, { method: 'token', user: '', domain: '', secret: session.token!, project: id, projectDomain: '' }));
      go(href(id, ['stacks']));
    } catch (problem) { setError(problem); }
  };
  const other = (event: globalThis.Event) => { event.preventDefault(); setAsked(false); void change(name); };
  return (
    <>
      {hasKeystone && projects.length < 2 ? <span class="project" title="Project">{session.projectName}</span>
        : <select class="project" aria-label="Project" value={project} onChange={(event) => { const id = event.currentTarget.value; event.currentTarget.value = project; void change(id); }}>
          {projects.map((each) => <option value={each.id}>{each.name}</option>)}
          {!hasKeystone && <option value={OTHER}>Other project…</option>}
        </select>}
      {error ? <Dialog title="Not switched" onClose={() => setError(null)}><ErrorNote error={error} /></Dialog> : null}
      {asked && <Dialog title="Another project" onClose={() => setAsked(false)}><form onSubmit={other}>
        <label>Name of the project<input required autofocus autocomplete="off" spellcheck={false} value={name} onInput={(event) => setName(event.currentTarget.value)} /></label>
        <div class="actions"><button class="primary">Switch</button></div>
      </form></Dialog>}
    </>
  );
}
