// Create a stack, or update one: texts, parameters, options, the preview as a diff, and the start.
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Api, ApiError, isPassing, type Preview, type PropertyChange, type Resource, RETRY, type Stack, stackPath, type Validation } from './api';
import { Diff } from './diff';
import type { Editor, Finding } from './editor';
import { type FormState, ParameterForm, valuesOf } from './parameter-form';
import { go, href, type Route } from './router';
import { bodyOfTexts, complete, lint, type Placed, type Texts } from './template-service';
import { readTexts } from './template-panel';
import { dropDraft, readDraft, useQuestionBeforeLeaving, writeDraft } from './drafts';
import { Dialog, ErrorNote, oneWay, useLoad } from './widgets';

const EXAMPLE = `heat_template_version: 2021-04-16

description: A password and a message with it

parameters:
  length:
    type: number
    label: Length of the password
    default: 16
    constraints:
      - range: {min: 8, max: 64}

resources:
  password:
    type: OS::Heat::RandomString
    properties:
      length: {get_param: length}

  message:
    type: OS::Heat::Value
    properties:
      value:
        str_replace:
          template: The password is WORD
          params:
            WORD: {get_attr: [password, value]}

outputs:
  message:
    value: {get_attr: [message, value]}
`;
const PAUSE = 350;

interface Options { name: string; tags: string; timeout: string; rollback: boolean; noReplace: boolean }
interface Content { texts: Texts; form: FormState; options: Options }
/** ``digest``: the state of the stack that was edited. ``sent``: an update has begun with it, and may fail. */
export interface Draft extends Content { name: string; digest?: string; sent?: boolean; hidden?: string[] }

/** The key of the draft of a new stack, or of an update of one. */
export function draftKey(project: string, id = ''): string {
  return `${project}/stacks/${id}`;
}

function optionsOf(stack: Stack | null): Options {
  return { name: '', tags: (stack?.tags ?? []).join(','), timeout: String(stack?.timeout_mins ?? ''), rollback: stack ? !stack.disable_rollback : false, noReplace: false };
}

const contentOf = ({ texts, form, options }: Content): string => JSON.stringify([texts, form, options]);

/** Keep a draft. Values of parameters that are hidden, or were, or are not known, do not leave the memory. */
function keep(key: string, draft: Draft, validation: Validation | null): void {
  const parameters = validation?.Parameters;
  const secret = Object.keys(parameters ?? {}).filter((name) => parameters![name].NoEcho === 'true');
  const hidden = [...new Set([...readDraft<Draft>(key)?.hidden ?? [], ...secret])];
  const shown = Object.entries(draft.form).filter(([name]) => !hidden.includes(name) && (!parameters || name in parameters));
  writeDraft<Draft>(key, { ...draft, hidden }, { ...draft, hidden, form: Object.fromEntries(shown) });
}

export function ComposePage({ api, route, stack }: { api: Api; route: Route; stack: { name: string; id: string } | null }) {
  const { value, error } = useLoad(async (): Promise<{ stack: Stack | null; texts: Texts }> => {
    if (!stack) return { stack, texts: { template: EXAMPLE, environment: '', files: {} } };
    // the stack first: its digest must not be newer than the texts
    const shown = await api.get<{ stack: Stack }>(stackPath(stack.name, stack.id), { resolve_outputs: false });
    return { stack: shown.stack, texts: await readTexts({ api, store: stack }) };
  }, []);
  if (!value) return <main>{error ? <ErrorNote error={error} /> : <p class="boot">Loading…</p>}</main>;
  return <Composer api={api} route={route} stack={value.stack} initial={value.texts} />;
}

/** The draft of this tab, if there is one, else what is stored, and whether they differ. */
function useDraft(project: string, stack: Stack | null, initial: Texts, revise: () => void) {
  const key = draftKey(project, stack?.id);
  const stored = useRef<Draft>({ texts: initial, form: {}, options: optionsOf(stack), name: stack?.stack_name ?? '', digest: stack?.digest });
  const [kept] = useState(() => {
    const found = readDraft<Draft>(key);
    const isDone = found?.sent && /^(?!ROLLBACK).*COMPLETE$/.test(stack?.stack_status ?? '');
    return found && !isDone && contentOf(found) !== contentOf(stored.current) ? found : null;
  });
  const [draft, setDraft] = useState<Draft>(kept ? { ...kept, digest: kept.sent ? stack?.digest : kept.digest, sent: false } : stored.current);
  const [notice, setNotice] = useState(kept ? (kept.sent ? 'failed' : 'kept') : '');
  const discard = () => { setDraft(stored.current); setNotice(''); revise(); };
  const isDirty = contentOf(draft) !== contentOf(stored.current);
  const isStale = !!draft.digest && draft.digest !== stack?.digest;
  return { key, draft, setDraft, notice, discard, isDirty, isStale, rebase: () => setDraft((old) => ({ ...old, digest: stack?.digest })) };
}

function Composer({ api, route, stack, initial }: { api: Api; route: Route; stack: Stack | null; initial: Texts }) {
  const [revision, setRevision] = useState(0);
  const revise = () => setRevision((old) => old + 1);
  const { key, draft, setDraft, notice, discard, isDirty, isStale, rebase } = useDraft(route.project, stack, initial, revise);
  const { texts, form, options } = draft;
  const setTexts = (update: (old: Texts) => Texts) => setDraft((old) => ({ ...old, texts: update(old.texts) }));
  const setForm = (value: FormState) => setDraft((old) => ({ ...old, form: value }));
  const setOptions = (value: Options) => setDraft((old) => ({ ...old, options: value }));
  const [before, setBefore] = useState<Texts | null>(null);
  const [file, setFile] = useState('template');
  const [goal, setGoal] = useState<Placed | null>(null);
  const [preview, setPreview] = useState<Preview | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const checked = useValidation(api, texts, stack);
  const findings = checked.findings.filter((each) => each.file === file);
  const set = (name: string, text: string) => setTexts((old) => withText(old, name, text));
  const replace = (update: (old: Texts) => Texts) => { setBefore(texts); setTexts(update); revise(); };
  const undo = () => { setTexts(() => before!); setBefore(null); revise(); };
  useQuestionBeforeLeaving(isDirty);
  useEffect(() => {
    if (isDirty) keep(key, draft, checked.validation);
    else dropDraft(key);
  }, [draft, isDirty, checked.validation]);
  const names = ['template', 'environment', ...Object.keys(texts.files)];
  const body = () => bodyOf(texts, initial, form, options, checked.validation, stack);
  const send = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(null);
    try { await work(); } catch (problem) { setError(problem); }
    setBusy(false);
  };
  const look = (event: globalThis.Event) => {
    event.preventDefault();
    void send(async () => setPreview(await previewOf(api, stack, body())));
  };
  const take = async (files: File[]) => {
    const found = await readFiles(files);
    replace((old) => found.reduce((all, [name, text]) => withText(all, name, text), old));
    const [stem] = /^[a-zA-Z][\w.-]*?(?=\.\w+$)/.exec(files[0]?.name ?? '') ?? [''];
    if (!stack && !options.name && found.length === 1 && found[0][0] === 'template' && stem !== 'template') setOptions({ ...options, name: stem });
  };
  const isTextChanged = !!stack && texts.template !== initial.template;
  const start = () => send(async () => {
    const unchanged: Record<string, string> = draft.digest ? { 'If-Match': `"${draft.digest}"` } : {};
    const made = stack ? (await api.request('PATCH', stackPath(stack.stack_name, stack.id), body(), undefined, undefined, unchanged), stack)
      : { stack_name: options.name, ...(await api.request<{ stack: { id: string } }>('POST', 'stacks', body())).stack };
    // the text of an update that fails and is rolled back is stored nowhere else
    if (stack) keep(key, { ...draft, sent: true }, checked.validation);
    else dropDraft(key);
    go(href(route.project, ['stacks', made.stack_name, made.id]));
  });
  return (
    <main class="compose" tabIndex={-1}>
      <div class="bar">
        <a class="crumb" href={href(route.project, stack ? ['stacks', stack.stack_name, stack.id] : ['stacks'])}>{stack ? stack.stack_name : 'Stacks'}</a><span class="dim" aria-hidden="true">/</span>
        <h1>{stack ? 'Update' : 'New stack'}</h1>
      </div>
      {!stack && <p class="dim intro">The template lists resources and what they take from each other. The example works as it is: change it, or upload your own. Ctrl+Space shows what may stand at the cursor; <a href={href(route.project, ['types'])}>Types</a> lists all resources. Nothing is created before the preview is confirmed.</p>}
      {notice && isDirty && <p class="note" role="status">{notice === 'failed' ? 'This is the text of the update that failed.' : 'This is your draft, as you left it.'} Hidden values are kept only until the page is loaded anew. <button type="button" onClick={discard}>Discard the draft</button></p>}
      {isStale && <p class="note failed" role="alert">The stack was changed after this draft was begun: its update would be refused. Continue, and the preview shows what it would undo. <button type="button" onClick={rebase}>Continue on the present stack</button></p>}
      {before && <p class="note" role="status">A text was replaced or removed. <button type="button" onClick={undo}>Undo</button> <button type="button" class="plain" aria-label="Close the note" onClick={() => setBefore(null)}>✕</button></p>}
      <form class="halves" onSubmit={look}>
        <section class="text" aria-label="Texts" onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => { event.preventDefault(); void take([...(event.dataTransfer?.files ?? [])]); }}>
          <Files names={names} file={file} texts={texts} choose={setFile} change={replace} take={take} findings={checked.findings} />
          <EditorBox key={`${file} ${revision}`} api={api} name={file} text={textOf(texts, file)} texts={texts} changed={(text) => set(file, text)} findings={findings} goal={goal} />
          <Findings findings={checked.findings} choose={(finding) => { setFile(finding.file); setGoal({ ...finding }); }} ready={!!checked.validation} />
        </section>
        <section class="form" aria-label="Parameters and options">
          {!stack && <label>Name of the stack<input required pattern="[a-zA-Z][a-zA-Z0-9_.\-]{0,254}" title="A letter, then letters, digits, _ . and -" value={options.name} autocomplete="off" spellcheck={false} onInput={(event) => setOptions({ ...options, name: event.currentTarget.value })} /></label>}
          <ParameterForm api={api} validation={checked.validation} state={form} stored={stack?.parameters} change={setForm} />
          <details class="options"><summary>Options</summary>
            <label>Tags<input value={options.tags} placeholder="web,prod" onInput={(event) => setOptions({ ...options, tags: event.currentTarget.value })} /></label>
            <label>Timeout in minutes<input type="number" min={1} value={options.timeout} onInput={(event) => setOptions({ ...options, timeout: event.currentTarget.value })} /></label>
            <label class="check"><input type="checkbox" checked={options.rollback} onChange={() => setOptions({ ...options, rollback: !options.rollback })} />Roll back after a failure</label>
            {stack && <label class="check"><input type="checkbox" checked={options.noReplace} onChange={() => setOptions({ ...options, noReplace: !options.noReplace })} />Refuse to replace resources</label>}
          </details>
          <ErrorNote error={preview ? null : error} />
          <div class="actions"><button class="primary" disabled={busy}>Preview…</button></div>
        </section>
      </form>
      {preview && (
        <Dialog title={stack ? `Changes to ${stack.stack_name}` : `New stack ${options.name}`} wide onClose={() => { setPreview(null); setError(null); }}>
          <Diff preview={preview} isTextChanged={isTextChanged} />
          <ErrorNote error={error} />
          <div class="actions">
            <button onClick={() => setPreview(null)}>Back to the texts</button>
            <button class="primary" autofocus disabled={busy || !!preview.refused || !(preview.has_changes || isTextChanged)} onClick={() => void start()}>{stack ? 'Update the stack' : 'Create the stack'}</button>
          </div>
        </Dialog>
      )}
    </main>
  );
}

function textOf(texts: Texts, name: string): string {
  return name === 'template' ? texts.template : name === 'environment' ? texts.environment : texts.files[name] ?? '';
}

function withText(texts: Texts, name: string, text: string): Texts {
  if (name === 'template' || name === 'environment') return { ...texts, [name]: text };
  return { ...texts, files: { ...texts.files, [name]: text } };
}

/** Return the body of the request; an update sends only what differs from the stored stack. */
function bodyOf(texts: Texts, initial: Texts, form: FormState, options: Options, validation: Validation | null, stack: Stack | null): Record<string, unknown> {
  const body: Record<string, unknown> = {
    template: texts.template, parameters: valuesOf(validation, form), disable_rollback: !options.rollback,
    tags: options.tags, timeout_mins: options.timeout ? Number(options.timeout) : undefined,
  };
  if (!stack) body.stack_name = options.name;
  if (!stack || texts.environment !== initial.environment) body.environment = texts.environment || undefined;
  if (Object.keys(texts.files).length) body.files = texts.files;
  if (options.noReplace) body.on_replace = 'fail';
  return body;
}

async function previewOf(api: Api, stack: Stack | null, body: Record<string, unknown>): Promise<Preview> {
  if (stack) return api.request<Preview>('PATCH', `${stackPath(stack.stack_name, stack.id)}/preview`, body);
  const found = await api.request<{ stack: { resources: unknown[]; output_changes?: PropertyChange[] } }>('POST', 'stacks/preview', body);
  const resources = found.stack.resources.flat(20) as (Resource & { action?: string })[];
  const added = resources.map((each) => ({ ...each, action: each.action ?? 'create', reason: null }));
  return { resource_changes: { unchanged: [], updated: [], replaced: [], deleted: [], added }, has_changes: true, output_changes: found.stack.output_changes };
}

interface Checked { validation: Validation | null; findings: Placed[] }

/** Check the texts while they are typed: YAML in the page, the rest by the service and its linter. */
function useValidation(api: Api, texts: Texts, stack: Stack | null): Checked {
  const [checked, setChecked] = useState<Checked>({ validation: null, findings: [] });
  useEffect(() => {
    const stop = new AbortController();
    let timer = setTimeout(() => void check(), PAUSE);
    const check = async () => {
      const { mistakesOf } = await import('./source');
      const wrong = [...mistakesOf(texts.template).map((each) => ({ ...each, file: 'template' })), ...(texts.environment ? mistakesOf(texts.environment).map((each) => ({ ...each, file: 'environment' })) : [])];
      if (wrong.length) { setChecked((old) => ({ ...old, findings: wrong.map((each) => ({ ...each, severity: 'error' as const })) })); return; }
      const body = bodyOfTexts(texts);
      const linted = lint(api, body, stop.signal).catch(() => []);
      try {
        const found = await api.request<Validation>('POST', 'validate', body, undefined, stop.signal);
        const findings = await linted;
        if (!stop.signal.aborted) setChecked({ validation: found, findings });
      } catch (problem) {
        const findings = await linted;
        if (stop.signal.aborted || !(problem instanceof ApiError)) return;
        if (isPassing(problem)) { timer = setTimeout(() => void check(), RETRY); return; }
        // the linter says the same at its place, and what else is wrong
        const refused = findings.some((each) => each.severity === 'error') ? [] : [findingOf(problem)];
        setChecked((old) => ({ ...old, findings: [...refused, ...findings] }));
      }
    };
    return () => { stop.abort(); clearTimeout(timer); };
  }, [texts, stack?.id]);
  return checked;
}

function findingOf(error: ApiError): Placed {
  return { file: error.position?.file ?? 'template', line: error.position?.line ?? 1, column: error.position?.column ?? 1, message: error.message, severity: 'error' };
}

function Findings({ findings, choose, ready }: { findings: Placed[]; choose: (finding: Placed) => void; ready: boolean }) {
  const refused = findings.some((each) => each.severity === 'error');
  return (
    <>
      {!refused && <p class="findings ok" role="status">{ready ? '✓ The template is valid' : 'Validating…'}</p>}
      {findings.length > 0 && <ul class="findings" role="status" aria-label="Findings">{findings.slice(0, 30).map((each) => (
        <li class={each.severity}><button type="button" class="link" onClick={() => choose(each)}>{each.file}:{each.line}:{each.column}</button> {oneWay(each.message)}</li>
      ))}</ul>}
    </>
  );
}

/** The editor of one text. It owns the text from then on: another text needs another box. */
function EditorBox({ api, name, text, texts, changed, findings, goal }: { api: Api; name: string; text: string; texts: Texts; changed: (text: string) => void; findings: Finding[]; goal: Placed | null }) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const report = useRef(changed);
  report.current = changed;
  const given = useRef(texts);
  given.current = texts;
  const [ready, setReady] = useState(false);
  useEffect(() => {
    let ended = false;
    void import('./editor').then(({ Editor: Made }) => {
      if (ended || !host.current) return;
      editor.current = new Made(host.current, text, {
        label: `Text of ${name}`, changed: (value) => report.current(value),
        completions: (line, column, value) => complete(api, bodyOfTexts(withText(given.current, name, value)), name, line, column),
      });
      setReady(true);
    });
    return () => { ended = true; editor.current?.destroy(); };
  }, []);
  useEffect(() => { editor.current?.mark(findings); }, [JSON.stringify(findings), ready]);
  useEffect(() => { if (goal?.file === name && ready) { editor.current?.reveal(goal.line); editor.current?.focus(); } }, [goal, ready]);
  return <div class="editor" ref={host} />;
}

function Files({ names, file, texts, choose, change, take, findings }: {
  names: string[]; file: string; texts: Texts; choose: (name: string) => void; change: (update: (old: Texts) => Texts) => void; take: (files: File[]) => Promise<void>; findings: Placed[];
}) {
  const upload = useRef<HTMLInputElement>(null);
  const [adding, setAdding] = useState(false);
  const [name, setName] = useState('');
  const add = () => { if (name) { change((old) => withText(old, name, old.files[name] ?? '')); choose(name); } setAdding(false); setName(''); };
  return (
    <div class="files" role="group" aria-label="Texts">
      {names.map((each) => <button type="button" aria-pressed={each === file} onClick={() => choose(each)}>{each}{findings.some((one) => one.file === each && one.severity === 'error') && <span class="dot" aria-label="has errors" />}</button>)}
      {file in texts.files && <button type="button" class="plain" aria-label={`Remove ${file}`} onClick={() => { change((old) => ({ ...old, files: Object.fromEntries(Object.entries(old.files).filter(([each]) => each !== file)) })); choose('template'); }}>Remove</button>}
      <span class="grow" />
      <button type="button" class="plain" onClick={() => setAdding(true)}>Add a file</button>
      <button type="button" class="plain" onClick={() => upload.current!.click()}>Upload…</button>
      <input ref={upload} type="file" multiple hidden aria-label="Upload files" onChange={(event) => void take([...(event.currentTarget.files ?? [])])} />
      {adding && <Dialog title="Add a file" onClose={() => setAdding(false)}><label>Name, as the template writes it<input autofocus value={name} onInput={(event) => setName(event.currentTarget.value)} /></label><div class="actions"><button type="button" class="primary" onClick={add}>Add</button></div></Dialog>}
    </div>
  );
}

/** Return files as texts: a template or an environment by its content, all others by their names. */
async function readFiles(files: File[]): Promise<[string, string][]> {
  return Promise.all(files.map(async (each): Promise<[string, string]> => {
    const text = await each.text();
    const isTemplate = /^[\s{]*["']?(heat_template_version|AWSTemplateFormatVersion|HeatTemplateFormatVersion)\b/m.test(text) && files.length === 1;
    const isMain = isTemplate || /^(main|template|stack)\.(ya?ml|json|template)$/i.test(each.name);
    const isEnvironment = !isMain && /^(parameters|parameter_defaults|resource_registry)\s*:/m.test(text) && !/^resources\s*:/m.test(text);
    return [isMain ? 'template' : isEnvironment ? 'environment' : each.name, text];
  }));
}

