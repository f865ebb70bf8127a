// Resource types with their properties and attributes, and the functions of template versions.
import { useMemo, useState } from 'preact/hooks';
import type { Api } from './api';
import { href, go, type Route } from './router';
import { ErrorNote, useLoad, Value } from './widgets';

interface Listed { resource_type: string; description: string | null }
interface PropertySchema {
  type: string; description?: string; required?: boolean; default?: unknown; update_allowed?: boolean;
  immutable?: boolean; constraints?: Record<string, unknown>[]; schema?: Record<string, PropertySchema>;
}
interface TypeSchema {
  resource_type: string; properties: Record<string, PropertySchema>;
  attributes: Record<string, { description?: string; type?: string }>;
  support_status?: { status: string; message: string | null };
}

export function TypesView({ api, route, name }: { api: Api; route: Route; name: string }) {
  const { value, error } = useLoad(() => api.get<{ resource_types: Listed[] }>('resource_types', { with_description: true }), [api]);
  const [text, setText] = useState('');
  const types = useMemo(() => (value?.resource_types ?? []).filter((each) => each.resource_type.toLowerCase().includes(text.toLowerCase())), [value, text]);
  const isFunctions = name === 'functions';
  return (
    <main class={name ? 'split chosen' : 'split'}>
      <section class="side" aria-label="Resource types">
        <div class="bar"><h1>Types <span class="count">{value ? types.length : ''}</span></h1><span class="grow" /><a href={href(route.project, ['types', 'functions'])}>Functions</a></div>
        <input type="search" aria-label="Filter types" placeholder="Filter" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <ErrorNote error={error} />
        <ul class="menu" tabIndex={0}>{types.map((each) => (
          <li key={each.resource_type}><a aria-current={each.resource_type === name ? 'true' : undefined} href={href(route.project, ['types', each.resource_type])}>{each.resource_type}</a></li>
        ))}</ul>
      </section>
      <section class="detail" aria-label="Description">
        {name && <p class="back"><a href={href(route.project, ['types'])}>← All types</a></p>}
        {isFunctions ? <Functions api={api} route={route} /> : name ? <TypeDetail key={name} api={api} name={name} description={value?.resource_types.find((each) => each.resource_type === name)?.description} /> : <p class="dim">Choose a type to see its properties and attributes.</p>}
      </section>
    </main>
  );
}

function TypeDetail({ api, name, description }: { api: Api; name: string; description?: string | null }) {
  const { value, error } = useLoad(() => api.get<TypeSchema>(`resource_types/${encodeURIComponent(name)}`), [api, name]);
  if (!value) return <ErrorNote error={error} />;
  const attributes = Object.entries(value.attributes).sort();
  return (
    <>
      <h2>{name}</h2>
      {description && <p class="prose">{description}</p>}
      {value.support_status && value.support_status.status !== 'SUPPORTED' && <p class="note">{value.support_status.status.toLowerCase()} {value.support_status.message}</p>}
      <h3>Properties</h3>
      <Properties schema={value.properties} />
      <h3>Attributes</h3>
      <dl class="schema">{attributes.map(([each, schema]) => <div key={each}><dt>{each}</dt><dd>{schema.description}</dd></div>)}</dl>
    </>
  );
}

function Properties({ schema }: { schema: Record<string, PropertySchema> }) {
  const order = Object.entries(schema).sort(([one, first], [other, second]) => Number(!!second.required) - Number(!!first.required) || one.localeCompare(other));
  if (!order.length) return <p class="dim">None.</p>;
  return (
    <dl class="schema">{order.map(([name, each]) => (
      <div key={name}>
        <dt>{name} <span class="type">{each.type}</span>{each.required && <span class="flag">required</span>}{!each.update_allowed && <span class="flag quiet">a change replaces</span>}</dt>
        <dd>
          {each.description}
          {each.default !== undefined && each.default !== null && <> Default: <Value value={each.default} /></>}
          {(each.constraints ?? []).map((constraint) => <code class="constraint">{JSON.stringify(constraint)}</code>)}
          {each.schema && <details><summary>Parts</summary><Properties schema={each.schema} /></details>}
        </dd>
      </div>
    ))}</dl>
  );
}

interface Version { version: string; type: string; aliases?: string[] }

function Functions({ api, route }: { api: Api; route: Route }) {
  const versions = useLoad(() => api.get<{ template_versions: Version[] }>('template_versions'), [api]);
  const known = versions.value?.template_versions ?? [];
  const chosen = route.query.get('version') ?? known.filter((each) => each.type === 'hot').map((each) => each.version).filter((each) => /\d{4}/.test(each)).sort().at(-1) ?? '';
  const functions = useLoad(async () => (chosen ? (await api.get<{ template_functions: { functions: string; description: string }[] }>(`template_versions/${encodeURIComponent(chosen)}/functions`)).template_functions : []), [chosen]);
  return (
    <>
      <div class="bar"><h2>Functions</h2><select aria-label="Template version" value={chosen} onChange={(event) => go(href(route.project, ['types', 'functions'], { version: event.currentTarget.value }), true)}>{known.map((each) => <option>{each.version}</option>)}</select></div>
      <ErrorNote error={versions.error ?? functions.error} />
      <dl class="schema">{(functions.value ?? []).map((each) => <div key={each.functions}><dt>{each.functions}</dt><dd>{each.description}</dd></div>)}</dl>
    </>
  );
}
