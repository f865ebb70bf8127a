// Draws the resources of a stack with cytoscape. The layout is made by a worker; colours change in
// place, and positions only when resources come or go or a nested stack is opened.
import cytoscape from 'cytoscape';
import type { LayoutRequest, LayoutResult } from './layout-worker';
import type { Node, StackStore } from './stack-store';
import { plain, tone } from './widgets';

declare const LAYOUT_WORKER: string;

const WIDTH = 168, HEIGHT = 44, LABEL = 22;
const TONES = ['complete', 'progress', 'failed', 'none', 'quiet'];
const MANY = 300;
/** Below this zoom nodes have the full colour of their state: their borders and texts are too thin to be seen. */
const FAR = 0.3;

type Colours = Record<string, string>;

function colours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const names = ['text', 'dim', 'line', 'panel', 'accent', 'ground', ...TONES, ...TONES.map((each) => `${each}-ground`)];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

function shorten(text: string, length = LABEL): string {
  const letters = [...plain(text)];
  return letters.length <= length ? letters.join('') : `${letters.slice(0, length - 9).join('')}…${letters.slice(-8).join('')}`;
}

function labelOf(node: Node): string {
  const type = node.resource_type.split('::').slice(-2).join(' ');
  return `${shorten(node.resource_name)}\n${shorten(type, 26)}${node.nestedId ? ' ▸' : ''}`;
}

function stylesheet(c: Colours): cytoscape.StylesheetJson {
  const base = {
    shape: 'round-rectangle', width: WIDTH, height: HEIGHT, 'background-color': c.panel, 'border-width': 1.5,
    'border-color': c.line, label: 'data(label)', 'text-valign': 'center', 'text-wrap': 'wrap', 'font-size': 11.5,
    'line-height': 1.25, color: c.text, 'font-family': 'system-ui, sans-serif', 'min-zoomed-font-size': 5,
  };
  const parent = {
    'text-valign': 'top', 'text-margin-y': 17, padding: '22px', 'background-opacity': 0.35, 'font-size': 11.5,
    'border-style': 'dashed', shape: 'round-rectangle',
  };
  const edge = {
    width: 1.4, 'line-color': c.none, 'target-arrow-color': c.none, 'target-arrow-shape': 'triangle', 'arrow-scale': 0.8, 'curve-style': 'bezier',
  };
  return [
    { selector: 'node', style: base },
    ...TONES.map((each) => ({ selector: `node[tone = "${each}"]`, style: { 'background-color': c[`${each}-ground`], 'border-color': c[each] } })),
    ...TONES.map((each) => ({ selector: `node.far[tone = "${each}"]`, style: { 'background-color': c[each], 'border-width': 0, label: '' } })),
    { selector: 'node[tone = "progress"]', style: { 'border-width': 3 } },
    { selector: ':parent', style: parent },
    { selector: 'edge', style: edge },
    { selector: 'node.chosen', style: { 'border-width': 4, 'border-color': c.accent } },
    { selector: 'edge.near', style: { 'line-color': c.accent, 'target-arrow-color': c.accent, width: 2.2 } },
  ] as unknown as cytoscape.StylesheetJson;
}

/** The direction of each arrow key on the screen. */
export const ARROWS: Record<string, { x: number; y: number }> = {
  ArrowRight: { x: 1, y: 0 }, ArrowLeft: { x: -1, y: 0 }, ArrowDown: { x: 0, y: 1 }, ArrowUp: { x: 0, y: -1 },
};
/** How much farther a node aside seems than one straight ahead. */
const ASIDE = 3;

interface Shape { nodes: { node: Node; parent: string | null }[]; edges: { source: string; target: string }[] }

/** The nodes in sight: those of the stack, and of nested stacks that are open. */
function shapeOf(store: StackStore, open: Set<string>): Shape {
  const inside = new Map<string, Node[]>();
  for (const node of store.nodes.values()) {
    const own = inside.get(node.stackId);
    if (own) own.push(node);
    else inside.set(node.stackId, [node]);
  }
  const shape: Shape = { nodes: [], edges: [] };
  const visit = (stack: string, parent: string | null) => {
    for (const node of inside.get(stack) ?? []) {
      shape.nodes.push({ node, parent });
      for (const name of node.required_by) {
        if (store.nodes.has(`${stack}/${name}`)) shape.edges.push({ source: node.key, target: `${stack}/${name}` });
      }
      if (node.nestedId && open.has(node.key)) visit(node.nestedId, node.key);
    }
  };
  visit(store.id, null);
  return shape;
}

export class GraphDrawing {
  private readonly graph: cytoscape.Core;
  private readonly worker = new Worker(new URL(LAYOUT_WORKER, import.meta.url), { type: 'module' });
  private structure = '';
  private shape: Shape = { nodes: [], edges: [] };
  private request = 0;
  private chosen = '';
  private touched = false;
  private far = false;
  private readonly resized: ResizeObserver;

  constructor(private readonly element: HTMLElement, select: (key: string) => void, toggle: (key: string) => void) {
    this.graph = cytoscape({
      container: element, style: stylesheet(colours()), minZoom: 0.01, maxZoom: 2.5,
      autoungrabify: true, boxSelectionEnabled: false, textureOnViewport: false, hideEdgesOnViewport: true, pixelRatio: 'auto',
    });
    this.graph.on('tap', 'node', (event) => select(event.target.id()));
    this.graph.on('dbltap', 'node', (event) => { if (event.target.data('nested')) toggle(event.target.id()); });
    this.graph.on('zoom', () => this.colourFar());
    this.graph.on('scrollzoom dragpan pinchzoom', () => { this.touched = true; });
    this.worker.onmessage = (message: MessageEvent<LayoutResult>) => this.place(message.data);
    this.resized = new ResizeObserver(() => { this.graph.resize(); if (!this.touched) this.fit(); });
    this.resized.observe(element);
  }

  show(store: StackStore, open: Set<string>): void {
    const shape = shapeOf(store, open);
    const structure = JSON.stringify([shape.nodes.map((each) => [each.node.key, each.parent]), shape.edges]);
    if (structure === this.structure) {
      this.graph.batch(() => shape.nodes.forEach(({ node }) => {
        const found = this.graph.getElementById(node.key);
        const kind = tone(node.resource_status);
        if (found.data('tone') !== kind) found.data('tone', kind);
      }));
      this.publish(shape);
      return;
    }
    this.structure = structure;
    this.shape = shape;
    this.request += 1;
    if (!this.graph.elements().length) this.element.dataset.arranging = '';
    const { width, height } = this.element.getBoundingClientRect();
    const request: LayoutRequest = {
      id: this.request, width: WIDTH, height: HEIGHT, aspect: Math.max(0.4, width / Math.max(height, 1)),
      nodes: shape.nodes.map(({ node, parent }) => ({ id: node.key, parent })), edges: shape.edges,
    };
    this.worker.postMessage(request);
  }

  private place(result: LayoutResult): void {
    if (result.id !== this.request) return;
    const { nodes, edges } = this.shape;
    const parents = new Set(nodes.map((each) => each.parent));
    const elements: cytoscape.ElementDefinition[] = [
      ...nodes.map(({ node, parent }) => ({
        group: 'nodes' as const, position: result.positions[node.key] ?? { x: 0, y: 0 },
        data: {
          id: node.key, parent: parent ?? undefined, label: parents.has(node.key) ? shorten(node.resource_name, 40) : labelOf(node),
          tone: tone(node.resource_status), nested: node.nestedId,
        },
      })),
      ...edges.map((edge) => ({ group: 'edges' as const, data: { id: `${edge.source}>${edge.target}`, ...edge } })),
    ];
    this.graph.batch(() => {
      this.graph.elements().remove();
      this.graph.add(elements);
      if (nodes.length > MANY) this.graph.edges().style('curve-style', 'haystack');
    });
    delete this.element.dataset.arranging;
    this.far = false;
    this.touched = false;
    this.fit();
    this.colourFar();
    this.choose(this.chosen);
    this.publish(this.shape);
  }

  /** Tell tests and tools how many nodes are drawn in which colour. */
  private publish(shape: Shape): void {
    const counts: Record<string, number> = {};
    if (this.graph.nodes().length !== shape.nodes.length) return;
    this.graph.nodes().forEach((node) => { counts[node.data('tone')] = (counts[node.data('tone')] ?? 0) + 1; });
    this.element.dataset.nodes = String(shape.nodes.length);
    this.element.dataset.tones = JSON.stringify(counts);
  }

  choose(key: string): void {
    this.chosen = key;
    this.graph.batch(() => {
      this.graph.elements('.chosen, .near').removeClass('chosen near');
      const found = this.graph.getElementById(key);
      found.addClass('chosen');
      found.connectedEdges().addClass('near');
    });
  }

  /** Return the key of the next node in the direction of an arrow key, or of the first one. */
  neighbour(arrow: string): string | null {
    const from = this.graph.getElementById(this.chosen);
    const nodes = this.graph.nodes().toArray().filter((node) => !node.isParent());
    if (!from.length) return nodes[0]?.id() ?? null;
    const { x, y } = ARROWS[arrow]!, start = from.position();
    const found = nodes.flatMap((node) => {
      const dx = node.position().x - start.x, dy = node.position().y - start.y;
      const ahead = dx * x + dy * y, aside = Math.abs(dx * y) + Math.abs(dy * x);
      return ahead > 1 ? [{ id: node.id(), distance: ahead + ASIDE * aside }] : [];
    });
    return found.sort((a, b) => a.distance - b.distance)[0]?.id ?? null;
  }

  /** Bring a node into sight. */
  reveal(key: string): void {
    const node = this.graph.getElementById(key), { x1, x2, y1, y2 } = this.graph.extent();
    if (!node.length) return;
    const { x, y } = node.position();
    if (x < x1 || x > x2 || y < y1 || y > y2) this.graph.center(node);
  }

  private colourFar(): void {
    const far = this.graph.zoom() < FAR;
    if (far === this.far) return;
    this.far = far;
    this.graph.batch(() => this.graph.nodes().not(':parent').toggleClass('far', far));
  }

  recolour(): void { this.graph.style(stylesheet(colours())); }

  fit(): void {
    if (!this.graph.elements().length) return;
    this.graph.fit(undefined, 24);
    if (this.graph.zoom() > 1.1) { this.graph.zoom(1.1); this.graph.center(); }
    this.touched = false;
  }

  zoom(factor: number): void {
    this.touched = true;
    this.graph.zoom({ level: this.graph.zoom() * factor, renderedPosition: { x: this.graph.width() / 2, y: this.graph.height() / 2 } });
  }

  destroy(): void {
    this.resized.disconnect();
    this.worker.terminate();
    this.graph.destroy();
  }
}
