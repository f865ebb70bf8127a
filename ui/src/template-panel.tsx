// The template, environment and files of a stack as text, with the place of each failure marked.
import { useEffect, useRef, useState } from 'preact/hooks';
import { stackPath } from './api';
import type { Editor } from './editor';
import { leaves } from './failure';
import { bodyOfTexts, lint, type Texts } from './template-service';
import type { StackContext } from './stack-context';
import { ErrorNote, useLoad } from './widgets';

/** Read the template of a stack, its environment and its files, as texts. */
export async function readTexts({ api, store }: Pick<StackContext, 'api'> & { store: { name: string; id: string } }): Promise<Texts> {
  const path = (last: string) => stackPath(store.name, store.id, last);
  const [source, template, environment, files] = await Promise.all([
    import('./source'), api.get<unknown>(path('template')), api.get<Record<string, unknown>>(path('environment')),
    api.get<Record<string, string>>(path('files')),
  ]);
  const used = Object.fromEntries(Object.entries(environment).filter(([key, value]) => !isEmpty(key, value)));
  return { template: source.dump(template), environment: Object.keys(used).length ? source.dump(used) : '', files };
}

function isEmpty(key: string, value: unknown): boolean {
  if (key === 'resource_registry' && value && Object.keys(value).length === 1) return isEmpty('', (value as { resources?: unknown }).resources ?? value);
  return !value || (typeof value === 'object' && Object.keys(value).length === 0) || key === 'encrypted_param_names';
}

export function TemplatePanel({ context }: { context: StackContext }) {
  const { store, route } = context;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const [file, setFile] = useState('template');
  const { value, error } = useLoad(() => readTexts(context), [store.id, store.stack?.updated_time]);
  const text = !value ? '' : file === 'template' ? value.template : file === 'environment' ? value.environment : value.files[file] ?? '';
  useEffect(() => {
    if (!value || !host.current) return;
    let ended = false;
    void Promise.all([import('./editor'), import('./source')]).then(async ([{ Editor: Made }, source]) => {
      if (ended || !host.current) return;
      editor.current = new Made(host.current, text, { readOnly: true, label: `Text of ${file}` });
      const at = route.query.get('at');
      const line = file === 'template' && at ? source.lineOf(text, ['resources', at]) : null;
      if (line) editor.current.reveal(line);
      const linted = await lint(context.api, bodyOfTexts(value)).catch(() => []);
      if (ended) return;
      const failed = file === 'template' ? leaves(store).filter((node) => node.stackId === store.id) : [];
      const marks = failed.flatMap((node) => {
        const line = source.lineOf(text, ['resources', node.resource_name]);
        return line ? [{ line, column: 1, message: node.resource_status_reason, severity: 'error' as const }] : [];
      });
      editor.current?.mark([...marks, ...linted.filter((each) => each.file === file)]);
    });
    return () => { ended = true; editor.current?.destroy(); editor.current = null; };
  }, [value, file, route.query.get('at')]);
  const names = ['template', ...(value?.environment ? ['environment'] : []), ...Object.keys(value?.files ?? {})];
  return (
    <div class="fill">
      {names.length > 1 && <div class="bar filters"><select aria-label="Text" value={file} onChange={(event) => setFile(event.currentTarget.value)}>{names.map((name) => <option>{name}</option>)}</select></div>}
      <ErrorNote error={error} />
      <div class="editor" ref={host} />
    </div>
  );
}
