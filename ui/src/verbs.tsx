// What can be done with a stack.
import { type JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Stack, stackPath } from './api';
import { go, href } from './router';
import type { StackContext } from './stack-context';
import { isBusy, isFailed } from './stack-store';
import { Confirm, Dialog, download, ErrorNote } from './widgets';

type Asked = 'delete' | 'force' | 'abandon' | 'cancel' | 'abandoned' | '';

export function Verbs({ context, stack }: { context: StackContext; stack: Stack }) {
  const { api, store, route } = context;
  const [asked, setAsked] = useState<Asked>('');
  const [error, setError] = useState<unknown>(null);
  const [document_, setDocument] = useState('');
  const menu = useRef<HTMLDetailsElement>(null);
  const busy = isBusy(stack.stack_status);
  const path = stackPath(stack.stack_name, stack.id);
  useCloseOutside(menu);
  const run = async (name: string) => {
    closeMenu(menu);
    setError(null);
    try { await api.action(stack, name); store.refresh(); } catch (problem) { setError(problem); }
  };
  const exported = async () => {
    closeMenu(menu);
    setError(null);
    try { download(`${stack.stack_name}.json`, JSON.stringify(await api.get(`${path}/export`), null, 2), 'application/json'); } catch (problem) { setError(problem); }
  };
  const abandon = async () => {
    store.stop(); // what the page shows of a stack that is gone would take the place of the document
    try { setDocument(JSON.stringify(await api.request('DELETE', `${path}/abandon`), null, 2)); } catch (problem) { store.start(); throw problem; }
    setTimeout(() => setAsked('abandoned'));
  };
  const ask = (what: Asked) => { closeMenu(menu); setAsked(what); };
  const item = (label: string, act: () => void, disabled = false, danger = false): JSX.Element => (
    <li><button disabled={disabled} class={danger ? 'item danger-text' : 'item'} onClick={act}>{label}</button></li>
  );
  const remove = (force: boolean) => async () => { await api.request('DELETE', path, undefined, force ? { force: true } : {}); store.refresh(); };
  return (
    <div class="verbs">
      {busy && !stack.stack_status.startsWith('DELETE') && <button onClick={() => ask('cancel')}>Cancel…</button>}
      {isFailed(stack.stack_status) && <button onClick={() => run('retry')}>Retry</button>}
      <a class="button primary" href={href(route.project, ['stacks', stack.stack_name, stack.id, 'update'])}>Update</a>
      <details class="dropdown" ref={menu}>
        <summary class="button" aria-label="More actions">More ▾</summary>
        <ul>
          {item('Check', () => run('check'), busy)}
          {item('Suspend', () => run('suspend'), busy || stack.stack_status.startsWith('SUSPEND'))}
          {item('Resume', () => run('resume'), busy || !stack.stack_status.startsWith('SUSPEND'))}
          {item('Snapshots', () => { closeMenu(menu); context.open('snapshots'); })}
          {item(stack.protected ? 'Unprotect' : 'Protect', () => run(stack.protected ? 'unprotect' : 'protect'))}
          {item('Export', () => void exported())}
          {item('Abandon…', () => ask('abandon'), busy, true)}
          {item('Delete…', () => ask('delete'), false, true)}
          {item('Delete with force…', () => ask('force'), false, true)}
        </ul>
      </details>
      {error ? <Dialog title="Not done" onClose={() => setError(null)}><ErrorNote error={error} /></Dialog> : null}
      {asked === 'delete' && (
        <Confirm title="Delete the stack" word={stack.stack_name} label="Delete" danger onClose={() => setAsked('')} run={remove(false)}>
          <p>All {store.nodes.size} resources are deleted, with the data in them.</p>
        </Confirm>
      )}
      {asked === 'force' && (
        <Confirm title="Delete with force" word={stack.stack_name} label="Delete with force" danger onClose={() => setAsked('')} run={remove(true)}>
          <p>Resources that cannot be deleted stay in the cloud and are forgotten here. The stack lists their ids as its last failures.</p>
        </Confirm>
      )}
      {asked === 'abandon' && (
        <Confirm title="Abandon the stack" word={stack.stack_name} label="Abandon" danger onClose={() => setAsked('')}
          run={abandon}>
          <p>The service forgets the stack; its resources stay as they are. The next dialog shows the only document by which the stack can be adopted again.</p>
        </Confirm>
      )}
      {asked === 'abandoned' && (
        <Dialog title="The abandoned stack" wide onClose={() => go(href(route.project, ['stacks']))}>
          <p>Keep this document: a create with it as <code>adopt_stack_data</code> takes the resources over.</p>
          <textarea class="document" readonly aria-label="Document of the abandoned stack" value={document_} />
          <div class="actions"><button class="primary" onClick={() => download(`${stack.stack_name}.json`, document_, 'application/json')}>Download</button></div>
        </Dialog>
      )}
      {asked === 'cancel' && <Cancel context={context} stack={stack} onClose={() => setAsked('')} />}
    </div>
  );
}

function Cancel({ context, stack, onClose }: { context: StackContext; stack: Stack; onClose: () => void }) {
  const [rollback, setRollback] = useState(stack.stack_status.startsWith('UPDATE'));
  return (
    <Confirm title="Cancel the action" label="Cancel the action" danger onClose={onClose}
      run={async () => { await context.api.action(stack, rollback ? 'cancel_update' : 'cancel_without_rollback'); context.store.refresh(); }}>
      <p>Resources in progress end first; no others start.</p>
      <label class="check"><input type="checkbox" checked={rollback} onChange={() => setRollback(!rollback)} />Roll back to the state before</label>
    </Confirm>
  );
}

/** Close a menu; the focus goes to its button, to which a dialog returns it too. */
function closeMenu({ current }: { current: HTMLDetailsElement | null }): void {
  current!.open = false;
  current!.querySelector('summary')!.focus();
}

function useCloseOutside(menu: { current: HTMLDetailsElement | null }): void {
  useEffect(() => {
    const close = (event: globalThis.Event) => {
      const element = menu.current;
      if (!element?.open) return;
      const isEscape = event instanceof KeyboardEvent && event.key === 'Escape';
      if (isEscape) closeMenu(menu);
      else if (event.type === 'click' && !element.contains(event.target as globalThis.Node)) element.open = false;
    };
    document.addEventListener('click', close);
    document.addEventListener('keydown', close);
    return () => { document.removeEventListener('click', close); document.removeEventListener('keydown', close); };
  }, []);
}
