// The frame of the graph: its library is loaded when it is first shown.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { GraphDrawing } from './graph';
import type { StackContext } from './stack-context';
import { Empty, plain } from './widgets';

export function GraphPanel({ context, chosen }: { context: StackContext; chosen: string }) {
  const { store } = context;
  const element = useRef<HTMLDivElement>(null);
  const drawing = useRef<GraphDrawing | null>(null);
  const [open, setOpen] = useState<Set<string>>(new Set());
  const [ready, setReady] = useState(false);
  const select = useRef(context.select);
  select.current = context.select;
  const toggle = (key: string) => setOpen((old) => {
    const next = new Set(old);
    if (!next.delete(key)) next.add(key);
    return next;
  });
  useEffect(() => {
    let ended = false;
    void import('./graph').then(({ GraphDrawing: Drawing }) => {
      if (ended || !element.current) return;
      drawing.current = new Drawing(element.current, (key) => select.current(key), toggle);
      setReady(true);
    });
    const recolour = () => drawing.current?.recolour();
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', recolour);
    window.addEventListener('themechange', recolour);
    return () => {
      ended = true;
      scheme.removeEventListener('change', recolour);
      window.removeEventListener('themechange', recolour);
      drawing.current?.destroy();
    };
  }, []);
  useEffect(() => { drawing.current?.show(store, open); }, [store.version, open, ready]);
  useEffect(() => { drawing.current?.choose(chosen); }, [chosen, ready, store.nodes.size]);
  const walk = (event: KeyboardEvent) => {
    if (!event.key.startsWith('Arrow') && event.key !== 'Enter') return;
    event.preventDefault();
    if (event.key === 'Enter') {
      if (store.nodes.get(chosen)?.nestedId) toggle(chosen);
      return;
    }
    const next = drawing.current?.neighbour(event.key);
    if (!next) return;
    select.current(next);
    drawing.current?.reveal(next);
  };
  const current = store.nodes.get(chosen);
  const nested = [...store.nodes.values()].filter((node) => node.nestedId && store.nodes.size);
  const all = nested.length > 0 && nested.every((node) => open.has(node.key));
  const description = `Graph of ${store.nodes.size} resources and what they need. Arrow keys go from one to the next, Enter opens a nested stack. The tab resources has the same as a table.`;
  return (
    <div class="graph">
      <div class="tools">
        {nested.length > 0 && <button onClick={() => setOpen(all ? new Set() : new Set(nested.map((node) => node.key)))}>{all ? 'Close nested' : 'Open nested'}</button>}
        <button aria-label="Fit the graph" title="Fit" onClick={() => drawing.current?.fit()}>⤢</button>
        <button aria-label="Zoom in" onClick={() => drawing.current?.zoom(1.4)}>+</button>
        <button aria-label="Zoom out" onClick={() => drawing.current?.zoom(1 / 1.4)}>−</button>
      </div>
      {!store.nodes.size && store.stack && <Empty><p class="dim">No resources yet.</p></Empty>}
      <div class="canvas" ref={element} role="application" tabIndex={0} aria-label={description} onKeyDown={walk} />
      <p class="hidden" role="status">{current ? `${plain(current.resource_name)}, ${current.resource_type}, ${current.resource_status}` : ''}</p>
      <ul class="legend" aria-hidden="true"><li class="complete">complete</li><li class="progress">in progress</li><li class="failed">failed</li><li class="none">waiting</li></ul>
    </div>
  );
}
