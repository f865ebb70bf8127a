// The description of the REST API, as /openapi.json gives it: each request with its parameters.
import { useMemo, useState } from 'preact/hooks';
import type { Api } from './api';
import { href, type Route } from './router';
import { ErrorNote, useLoad } from './widgets';

interface Schema {
  type?: string | string[]; properties?: Record<string, Schema>; required?: string[]; items?: Schema;
}
interface Operation {
  operationId: string; summary: string; tags: string[];
  parameters: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string; content?: Record<string, unknown> }>;
  'x-policy'?: { rule: string; default: string | null };
}
interface Description { paths: Record<string, Record<string, Operation>> }
interface Request { method: string; path: string; operation: Operation }

function requestsOf(description: Description): Request[] {
  return Object.entries(description.paths).flatMap(([path, methods]) => (
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
  ));
}

function grouped(requests: Request[]): [string, Request[]][] {
  const groups = new Map<string, Request[]>();
  for (const each of requests) {
    const [tag] = each.operation.tags;
    groups.set(tag, [...(groups.get(tag) ?? []), each]);
  }
  return [...groups];
}

const short = (path: string) => path.replace('/v1/{tenant_id}', '') || '/';

/** A path that may be broken before each of its parts only. */
const parts = (path: string) => path.split(/(?=\/)/).map((each) => <>{each}<wbr /></>);

export function ApiView({ api, route, id }: { api: Api; route: Route; id: string }) {
  const { value, error } = useLoad(() => api.description<Description>(), [api]);
  const [text, setText] = useState('');
  const requests = useMemo(() => (value ? requestsOf(value) : []), [value]);
  const shown = requests.filter(({ method, path, operation }) => `${method} ${path} ${operation.summary}`.toLowerCase().includes(text.toLowerCase()));
  const chosen = requests.find(({ operation }) => operation.operationId === id);
  return (
    <main class={id ? 'split chosen' : 'split'}>
      <section class="side" aria-label="Requests">
        <div class="bar"><h1>API <span class="count">{value ? shown.length : ''}</span></h1><span class="grow" /><a href={api.descriptionUrl()}>openapi.json</a></div>
        <input type="search" aria-label="Filter requests" placeholder="Filter" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <ErrorNote error={error} />
        <div class="menu" tabIndex={0}>{grouped(shown).map(([tag, members]) => (
          <section key={tag}><h2>{tag}</h2><ul>{members.map(({ method, path, operation }) => (
            <li key={operation.operationId}><a aria-current={operation.operationId === id ? 'true' : undefined} href={href(route.project, ['api', operation.operationId])}><span class="method">{method}</span> <span>{parts(short(path))}</span></a></li>
          ))}</ul></section>
        ))}</div>
      </section>
      <section class="detail" aria-label="Description">
        {id && <p class="back"><a href={href(route.project, ['api'])}>← All requests</a></p>}
        {chosen ? <RequestDetail key={id} request={chosen} />
          : <p class="dim">{id && value ? 'There is no such request.' : 'Choose a request to see its parameters, its body and its answers.'}</p>}
      </section>
    </main>
  );
}

function RequestDetail({ request: { method, path, operation } }: { request: Request }) {
  const policy = operation['x-policy'];
  const body = operation.requestBody?.content['application/json'].schema;
  return (
    <>
      <h2><span class="method">{method}</span> {path}</h2>
      <p class="prose">{operation.summary}</p>
      {policy && <p>Policy rule <code>{policy.rule}</code>{policy.default && <>, by default <code>{policy.default}</code></>}</p>}
      <h3>Parameters</h3>
      {operation.parameters.length ? <dl class="schema">{operation.parameters.map((each) => (
        <div key={each.name}><dt>{each.name} {each.required && <span class="flag">required</span>}</dt><dd>{typeOf(each.schema)}, in the {each.in}</dd></div>
      ))}</dl> : <p class="dim">None.</p>}
      {body && <><h3>Body</h3><Body schema={body} /></>}
      <h3>Answers</h3>
      <dl class="schema">{Object.entries(operation.responses).map(([status, each]) => (
        <div key={status}><dt>{status}</dt><dd>{each.description} {Object.keys(each.content ?? {}).includes('text/event-stream') && <>As <code>text/event-stream</code> too.</>}</dd></div>
      ))}</dl>
    </>
  );
}

function Body({ schema }: { schema: Schema }) {
  const members = Object.entries(schema.properties ?? {});
  if (!members.length) return <p>A JSON object.</p>;
  return (
    <dl class="schema">{members.map(([name, each]) => (
      <div key={name}><dt>{name} {schema.required?.includes(name) && <span class="flag">required</span>}</dt><dd>{typeOf(each)}</dd></div>
    ))}</dl>
  );
}

function typeOf(schema: Schema): string {
  const name = Array.isArray(schema.type) ? schema.type.join(' or ') : schema.type ?? 'any';
  return schema.items ? `${name} of ${typeOf(schema.items)}s` : name;
}
