// The frame of the graph: search, filter and controls beside it. Its library is loaded when it is first shown.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { GraphDrawing } from './graph';
import type { StackContext } from './stack-context';
import { FOLDED, type Node } from './stack-store';
import { Empty, MARKS, plain, tone } from './widgets';


const STATES = ['failed', 'progress', 'none', 'quiet', 'complete'];
const WORDS: Record<string, string> = { none: 'waiting', progress: 'in progress', quiet: 'at rest' };

function toggled(old: Set<string>, key: string): Set<string> {
  const next = new Set(old);
  if (!next.delete(key)) next.add(key);
  return next;
}

export function GraphPanel({ context, chosen }: { context: StackContext; chosen: string }) {
  const { store } = context;
  const element = useRef<HTMLDivElement>(null);
  const drawing = useRef<GraphDrawing | null>(null);
  const [open, setOpen] = useState<Set<string>>(new Set());
  const [unfolded, setUnfolded] = useState<Set<string>>(new Set());
  const [folded, setFolded] = useState('');
  const [ready, setReady] = useState(false);
  const [text, setText] = useState('');
  const [state, setState] = useState('');
  const select = useRef<(key: string) => void>(() => {});
  select.current = (key) => {
    setFolded(key.startsWith(FOLDED) ? key : '');
    if (!key.startsWith(FOLDED)) context.select(key);
  };
  const toggle = (key: string) => {
    setFolded('');
    (key.startsWith(FOLDED) ? setUnfolded : setOpen)((old) => toggled(old, key));
  };
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
  const wanted = useMemo(() => {
    const words = text.toLowerCase();
    return (node: Node) => (!state || tone(node.resource_status) === state)
      && `${node.resource_name} ${node.resource_type} ${node.physical_resource_id}`.toLowerCase().includes(words);
  }, [text, state]);
  useEffect(() => { drawing.current?.show(store, { open, unfolded, wanted }); }, [store.version, open, unfolded, wanted, ready]);
  useLayoutEffect(() => { drawing.current?.choose(folded || chosen); drawing.current?.reveal(folded || chosen); }, [chosen, folded, ready, store.nodes.size]);
  const nodes = [...store.nodes.values()];
  const isFiltered = !!text || !!state;
  const found = isFiltered ? nodes.filter(wanted) : nodes;
  const openOwners = (node: Node) => {
    const owners = new Map(nodes.flatMap((each): [string, Node][] => (each.nestedId ? [[each.nestedId, each]] : [])));
    const path: string[] = [];
    for (let owner = owners.get(node.stackId); owner; owner = owners.get(owner.stackId)) path.push(owner.key);
    setOpen((old) => (path.every((key) => old.has(key)) ? old : new Set([...old, ...path])));
  };
  useEffect(() => { const node = store.nodes.get(chosen); if (node) openOwners(node); }, [chosen]);
  const reveal = (node: Node) => {
    openOwners(node);
    select.current(node.key);
    drawing.current?.reveal(node.key);
  };
  const next = (event: globalThis.Event) => {
    event.preventDefault();
    const at = found.findIndex((node) => node.key === chosen);
    if (found.length) reveal(found[(at + 1) % found.length]);
  };
  const walk = (event: KeyboardEvent) => {
    const at = drawing.current?.chosen ?? '';
    const keys: Record<string, () => void> = {
      Enter: () => { if (at.startsWith(FOLDED) || store.nodes.get(at)?.nestedId) toggle(at); },
      '+': () => drawing.current?.zoom(1.4), '-': () => drawing.current?.zoom(1 / 1.4), 0: () => drawing.current?.fit(),
    };
    if (event.ctrlKey || event.metaKey || !(event.key.startsWith('Arrow') || event.key in keys)) return;
    event.preventDefault();
    if (event.key in keys) { keys[event.key](); return; }
    const key = drawing.current?.neighbour(event.key);
    if (!key) return;
    drawing.current?.choose(key); // before the next key, which may come before the next drawing
    select.current(key);
    drawing.current?.reveal(key);
  };
  const current = folded ? store.nodes.get(folded.slice(FOLDED.length)) : store.nodes.get(chosen);
  const nested = nodes.filter((node) => node.nestedId);
  const all = nested.length > 0 && nested.every((node) => open.has(node.key));
  const counts = new Map<string, number>();
  for (const node of nodes) counts.set(tone(node.resource_status), (counts.get(tone(node.resource_status)) ?? 0) + 1);
  const description = `Graph of ${store.nodes.size} resources and what they need. Arrow keys go from one to the next, Enter opens a nested stack or a group of equal resources, plus and minus zoom, 0 shows all. The tab resources has the same as a table.`;
  return (
    <div class="fill graph-panel">
      <form class="bar filters" onSubmit={next}>
        <input type="search" aria-label="Search the graph" placeholder="Name, type or id" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <div class="segments" role="group" aria-label="Filter by status">
          <button type="button" aria-pressed={!state} onClick={() => setState('')}>all</button>
          {STATES.filter((each) => counts.has(each)).map((each) => <button type="button" class={each} aria-pressed={state === each} onClick={() => setState(state === each ? '' : each)}><span class="mark" aria-hidden="true">{MARKS[each]}</span>{WORDS[each] ?? each} {counts.get(each)}</button>)}
        </div>
        {isFiltered && <span class="dim" role="status">{found.length} of {nodes.length}</span>}
        <span class="grow" />
        {folded && <button type="button" onClick={() => toggle(folded)}>Unfold the group</button>}
        {unfolded.size > 0 && <button type="button" onClick={() => setUnfolded(new Set())}>Fold equal</button>}
        {nested.length > 0 && <button type="button" onClick={() => setOpen(all ? new Set() : new Set(nested.map((node) => node.key)))}>{all ? 'Close nested' : 'Open nested'}</button>}
        <div class="segments" role="group" aria-label="Zoom">
          <button type="button" aria-label="Zoom out" onClick={() => drawing.current?.zoom(1 / 1.4)}>−</button>
          <button type="button" aria-label="Zoom in" onClick={() => drawing.current?.zoom(1.4)}>+</button>
          <button type="button" aria-label="Fit the graph" title="Fit" onClick={() => drawing.current?.fit()}>⤢</button>
        </div>
      </form>
      <div class="graph">
        {!store.nodes.size && store.stack && <Empty><p class="dim">No resources yet.</p></Empty>}
        <div class="canvas" ref={element} role="application" tabIndex={0} aria-label={description} onKeyDown={walk} />
      </div>
      <p class="hidden" role="status">{current ? `${folded ? 'group of equal resources, the first ' : ''}${plain(current.resource_name)}, ${current.resource_type}, ${current.resource_status}` : ''}</p>
    </div>
  );
}
