// The template, environment and files of a stack as texts, with the place of each failure marked.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, stackPath } from './api';
import type { Editor } from './editor';
import { leaves, textOf } from './failure';
import { href } from './router';
import { bodyOfTexts, lint, type Texts } from './template-service';
import type { StackContext } from './stack-context';
import { Copy, download, ErrorNote, useLoad } from './widgets';

/** The texts of a stack; ``generated``: the template came as data, and this text was made from them. */
export interface StoredTexts extends Texts { generated: boolean }

/** Read the template of a stack, its environment and its files, as texts. */
export async function readTexts({ api, store }: Pick<StackContext, 'api'> & { store: { name: string; id: string } }): Promise<StoredTexts> {
  const path = (last: string) => stackPath(store.name, store.id, last);
  const [source, template, { template_text: text }, environment, files] = await Promise.all([
    import('./source'), api.get<unknown>(path('template')),
    api.get<{ template_text: string | null }>(path('template_text')).catch(withoutTexts),
    api.get<Record<string, unknown>>(path('environment')), api.get<Record<string, string>>(path('files')),
  ]);
  const used = Object.fromEntries(Object.entries(environment).filter(([key, value]) => !isEmpty(key, value)));
  return { template: text ?? source.dump(template), generated: text === null, environment: Object.keys(used).length ? source.dump(used) : '', files };
}

/** A Heat without the texts of templates answers 404. */
function withoutTexts(error: unknown): { template_text: null } {
  if (error instanceof ApiError && error.status === 404) return { template_text: null };
  throw error;
}

function isEmpty(key: string, value: unknown): boolean {
  if (key === 'resource_registry' && value && Object.keys(value).length === 1) return isEmpty('', (value as { resources?: unknown }).resources ?? value);
  return !value || (typeof value === 'object' && Object.keys(value).length === 0) || key === 'encrypted_param_names';
}

/** The name of a text as a file: the last part of its path, with the ending of what it is. */
function fileName(stack: string, name: string, text: string): string {
  if (name === 'template') return `${stack}.${text.trimStart().startsWith('{') ? 'json' : 'yaml'}`;
  return name === 'environment' ? `${stack}-environment.yaml` : name.split('/').at(-1)!;
}

export function TemplatePanel({ context }: { context: StackContext }) {
  const { store, route } = context;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const wanted = route.query.get('text') || 'template';
  const [file, setFile] = useState(wanted);
  useEffect(() => setFile(wanted), [wanted]);
  const { value, error } = useLoad(() => readTexts(context), [store.id, store.stack?.updated_time, store.stack?.stack_status]);
  const text = !value ? '' : file === 'template' ? value.template : file === 'environment' ? value.environment : value.files[file] ?? '';
  useEffect(() => {
    if (!value || !host.current) return;
    let ended = false;
    void Promise.all([import('./editor'), import('./source')]).then(async ([{ Editor: Made }, source]) => {
      if (ended || !host.current) return;
      editor.current = new Made(host.current, text, { readOnly: true, label: `Text of ${file}` });
      const at = route.query.get('at');
      const place = file === wanted && at ? source.placeOf(text, ['resources', at]) : null;
      if (place) editor.current.reveal(place.line);
      const linted = await lint(context.api, bodyOfTexts(value)).catch(() => []);
      if (ended) return;
      const marks = leaves(store).filter((node) => textOf(store, node) === file).flatMap((node) => {
        const place = source.placeOf(text, ['resources', node.resource_name]);
        return place ? [{ ...place, message: node.resource_status_reason, severity: 'error' as const }] : [];
      });
      editor.current?.mark([...marks, ...linted.filter((each) => each.file === file)]);
    });
    return () => { ended = true; editor.current?.destroy(); editor.current = null; };
  }, [text, file, route.query.get('at')]);
  const names = ['template', ...(value?.environment ? ['environment'] : []), ...Object.keys(value?.files ?? {})];
  return (
    <div class="fill">
      <div class="bar filters">
        {names.length > 1 && <select aria-label="Text" value={file} onChange={(event) => setFile(event.currentTarget.value)}>{names.map((name) => <option>{name}</option>)}</select>}
        {value?.generated && file === 'template' && <span class="dim">Generated: the template came as data, without comments.</span>}
        <span class="grow" />
        {value && <><Copy text={text} label="Copy the text" /><button onClick={() => download(fileName(store.name, file, text), text)}>Download</button>
          <a class="button" href={href(route.project, ['stacks', store.name, store.id, 'update'])}>Edit…</a></>}
      </div>
      <ErrorNote error={error} />
      <div class="editor" ref={host} />
    </div>
  );
}
