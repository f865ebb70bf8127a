// Outputs and parameters of a stack. Hidden values are shown as the API sends them: masked.
import { useState } from 'preact/hooks';
import { type Stack, stackPath } from './api';
import type { StackContext } from './stack-context';
import { Copy, Empty, ErrorNote, oneWay, plain, useLoad, Value } from './widgets';

// outputs whose values stay covered until a click: screens are seen by others
const SECRET = /pass|secret|token|private|credential|(^|_)key$/i;

export function OutputsPanel({ context }: { context: StackContext }) {
  const { api, store } = context;
  const { value, error } = useLoad(() => api.get<{ stack: Stack }>(stackPath(store.name, store.id)), [store.stack?.stack_status]);
  const outputs = value?.stack.outputs ?? [];
  const parameters = Object.entries(value?.stack.parameters ?? store.stack?.parameters ?? {});
  return (
    <div class="columns">
      <section><h2>Outputs</h2>
        <ErrorNote error={error} />
        {value && !outputs.length && <Empty><p class="dim">The template has no outputs.</p></Empty>}
        <dl class="schema">{outputs.map((each) => (
          <div key={each.output_key}><dt>{plain(each.output_key)}</dt>
            <dd>{each.description && each.description !== 'No description given' && <p class="dim">{oneWay(each.description)}</p>}
              {each.output_error ? <p class="note failed">{oneWay(each.output_error)}</p> : <Covered secret={SECRET.test(each.output_key)} value={each.output_value} />}</dd>
          </div>
        ))}</dl>
      </section>
      <section><h2>Parameters</h2>
        <dl class="schema">{parameters.map(([name, each]) => <div key={name}><dt>{plain(name)}</dt><dd><Value value={each} /></dd></div>)}</dl>
      </section>
    </div>
  );
}

function Covered({ secret, value }: { secret: boolean; value: unknown }) {
  const [shown, setShown] = useState(!secret);
  return shown ? <span class="with-copy"><Value value={value} /><Copy text={typeof value === 'string' ? value : JSON.stringify(value)} label="Copy the value" /></span>
    : <button onClick={() => setShown(true)}>Show the value</button>;
}
