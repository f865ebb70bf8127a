// Draws the resources of a stack with cytoscape. The layout is made by a worker; colours change in
// place, and positions only when resources come or go or a nested stack is opened.
import cytoscape from 'cytoscape';
import type { LayoutRequest, LayoutResult } from './layout-worker';
import { FOLDED, type Node, type StackStore } from './stack-store';
import { iconOf } from './icons';
import { MARKS, plain, tone } from './widgets';

declare const LAYOUT_WORKER: string;

const WIDTH = 190, HEIGHT = 44, LABEL = 22;
/** So many equal resources are folded to one node. */
const FOLD = 5;
const TONES = ['complete', 'progress', 'failed', 'none', 'quiet'];
const MANY = 300;
/** Below this zoom nodes have the full colour of their state: their borders and texts are too thin to be seen. */
const FAR = 0.3;
/** The smallest zoom at which texts can be read, and the space around a drawing. */
const READABLE = 0.7, MARGIN = 24;

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

/** What is drawn: a resource, or resources that are equal in type and neighbours, folded to one. */
interface Drawn { key: string; parent: string | null; members: Node[]; nested: string | null; isOpen: boolean }

/** The first tone of the members in this order is that of the group. */
const WORST = ['failed', 'progress', 'none', 'quiet', 'complete'];

function tonesOf(members: Node[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const node of members) counts[tone(node.resource_status)] = (counts[tone(node.resource_status)] ?? 0) + 1;
  return counts;
}

/** The label: a sign of the state, the name, the type; of a group the number of members in each state. */
function labelOf({ members, nested, isOpen }: Drawn): string {
  const [first] = members, counts = tonesOf(members);
  const type = first.resource_type.split('::').slice(-2).join(' ');
  if (members.length > 1) {
    const worst = members.find((node) => tone(node.resource_status) === WORST.find((each) => counts[each]))!;
    const states = WORST.filter((each) => counts[each]).map((each) => `${MARKS[each]} ${counts[each]}`).join('  ');
    return `${shorten(worst.resource_name, 14)} and ${members.length - 1} more\n${shorten(`${states}  ${type.split(' ').at(-1)}`, 26)} ⊞`;
  }
  const mark = MARKS[tone(first.resource_status)];
  return isOpen ? `${mark} ${shorten(first.resource_name, 40)}` : `${mark} ${shorten(first.resource_name)}\n${shorten(type, 24)}${nested ? ' ▸' : ''}`;
}

function dataOf(drawn: Drawn, c: Colours, wanted: (node: Node) => boolean) {
  const counts = tonesOf(drawn.members);
  return {
    label: labelOf(drawn), tone: WORST.find((each) => counts[each])!, nested: drawn.nested, icon: iconOf(drawn.members[0].resource_type, c.dim),
    faded: drawn.members.some(wanted) ? 0 : 1, folded: drawn.members.length > 1 ? 1 : 0,
  };
}

function stylesheet(c: Colours): cytoscape.StylesheetJson {
  const base = {
    shape: 'round-rectangle', width: WIDTH, height: HEIGHT, 'background-color': c.panel, 'border-width': 1.5,
    'border-color': c.line, label: 'data(label)', 'text-valign': 'center', 'text-wrap': 'wrap', 'font-size': 11.5,
    'background-image': 'data(icon)', 'background-width': 16, 'background-height': 16, 'background-position-x': 9, 'background-image-opacity': 0.9,
    'text-margin-x': 9, 'line-height': 1.25, color: c.text, 'font-family': 'system-ui, sans-serif', 'min-zoomed-font-size': 5,
  };
  const parent = {
    'text-valign': 'top', 'text-margin-y': 17, padding: '22px', 'background-opacity': 0.35, 'font-size': 11.5,
    'border-style': 'dashed', shape: 'round-rectangle', 'background-image-opacity': 0,
  };
  const edge = {
    width: 1.4, 'line-color': c.none, 'target-arrow-color': c.none, 'target-arrow-shape': 'triangle', 'arrow-scale': 0.8, 'curve-style': 'bezier',
  };
  return [
    { selector: 'node', style: base },
    ...TONES.map((each) => ({ selector: `node[tone = "${each}"]`, style: { 'background-color': c[`${each}-ground`], 'border-color': c[each] } })),
    ...TONES.map((each) => ({ selector: `node.far[tone = "${each}"]`, style: { 'background-color': c[each], 'border-width': 0, label: '', 'background-image-opacity': 0 } })),
    { selector: 'node[tone = "progress"]', style: { 'border-width': 3 } },
    { selector: 'node[folded = 1]', style: { 'border-style': 'double', 'border-width': 4 } },
    { selector: ':parent', style: parent },
    { selector: 'edge', style: edge },
    { selector: 'node.chosen', style: { 'border-width': 4, 'border-color': c.accent } },
    { selector: 'node[faded = 1]', style: { opacity: 0.22 } },
    { selector: 'edge.near', style: { 'line-color': c.accent, 'target-arrow-color': c.accent, width: 2.2 } },
  ] as unknown as cytoscape.StylesheetJson;
}

/** The direction of each arrow key on the screen. */
export const ARROWS: Record<string, { x: number; y: number }> = {
  ArrowRight: { x: 1, y: 0 }, ArrowLeft: { x: -1, y: 0 }, ArrowDown: { x: 0, y: 1 }, ArrowUp: { x: 0, y: -1 },
};
/** How much farther a node aside seems than one straight ahead. */
const ASIDE = 3;

interface Shape { drawn: Drawn[]; edges: { source: string; target: string }[] }

/** What the panel wants to see: open nested stacks, unfolded groups, and the resources that are searched for. */
export interface View { open: Set<string>; unfolded: Set<string>; wanted: (node: Node) => boolean }

/** The groups of resources of one stack that have the same type, needs, and dependents. */
function groupsOf(nodes: Node[], open: Set<string>): Node[][] {
  const needs = new Map<string, string[]>();
  for (const node of nodes) for (const name of node.required_by) needs.set(name, [...(needs.get(name) ?? []), node.resource_name]);
  const groups = new Map<string, Node[]>();
  for (const node of nodes) {
    const key = open.has(node.key) ? node.key : JSON.stringify([node.resource_type, [...node.required_by].sort(), (needs.get(node.resource_name) ?? []).sort()]);
    const own = groups.get(key);
    if (own) own.push(node);
    else groups.set(key, [node]);
  }
  return [...groups.values()];
}

/** The nodes in sight: those of the stack, and of nested stacks that are open; equal ones folded. */
function shapeOf(store: StackStore, { open, unfolded }: View): Shape {
  const inside = new Map<string, Node[]>();
  for (const node of store.nodes.values()) {
    const own = inside.get(node.stackId);
    if (own) own.push(node);
    else inside.set(node.stackId, [node]);
  }
  const shape: Shape = { drawn: [], edges: [] };
  const visit = (stack: string, parent: string | null) => {
    const place = new Map<string, string>();
    const own: Drawn[] = groupsOf(inside.get(stack) ?? [], open).flatMap((nodes): Drawn[] => {
      const key = `${FOLDED}${nodes[0].key}`;
      if (nodes.length >= FOLD && !unfolded.has(key)) return [{ key, parent, members: nodes, nested: null, isOpen: false }];
      return nodes.map((node) => ({ key: node.key, parent, members: [node], nested: node.nestedId, isOpen: open.has(node.key) && inside.has(node.nestedId ?? '') }));
    });
    own.forEach((each) => each.members.forEach((node) => place.set(node.resource_name, each.key)));
    shape.drawn.push(...own);
    own.forEach((each) => each.members.length === 1 && each.isOpen && visit(each.nested!, each.key));
    for (const each of own) for (const target of new Set(each.members[0].required_by.flatMap((name) => place.get(name) ?? []))) shape.edges.push({ source: each.key, target });
  };
  visit(store.id, null);
  return shape;
}

export class GraphDrawing {
  private readonly graph: cytoscape.Core;
  private readonly worker = new Worker(new URL(LAYOUT_WORKER, import.meta.url), { type: 'module' });
  private structure = '';
  private shape: Shape = { drawn: [], edges: [] };
  private wanted: View['wanted'] = () => true;
  private colours = colours();
  private request = 0;
  /** The key of the chosen node, '' without one. */
  chosen = '';
  private touched = false;
  private far = false;
  private readonly resized: ResizeObserver;

  constructor(private readonly element: HTMLElement, select: (key: string) => void, toggle: (key: string) => void) {
    this.graph = cytoscape({
      container: element, style: stylesheet(this.colours), minZoom: 0.01, maxZoom: 2.5,
      autoungrabify: true, boxSelectionEnabled: false, textureOnViewport: false, hideEdgesOnViewport: true, pixelRatio: 'auto',
    });
    this.graph.on('tap', 'node', (event) => select(event.target.id()));
    this.graph.on('dbltap', 'node', (event) => { if (event.target.data('nested') || event.target.data('folded')) toggle(event.target.id()); });
    this.graph.on('zoom', () => this.colourFar());
    this.graph.on('scrollzoom dragpan pinchzoom', () => { this.touched = true; });
    this.worker.onmessage = (message: MessageEvent<LayoutResult>) => this.place(message.data);
    this.resized = new ResizeObserver(() => { this.graph.resize(); if (!this.touched) this.begin(); });
    this.resized.observe(element);
  }

  show(store: StackStore, view: View): void {
    const shape = shapeOf(store, view);
    this.wanted = view.wanted;
    const structure = JSON.stringify([shape.drawn.map((each) => [each.key, each.parent]), shape.edges]);
    if (structure === this.structure) {
      this.shape = shape;
      this.refresh();
      return;
    }
    this.structure = structure;
    this.shape = shape;
    this.request += 1;
    if (!this.graph.elements().length) this.element.dataset.arranging = '';
    const { width, height } = this.element.getBoundingClientRect();
    const request: LayoutRequest = {
      id: this.request, width: WIDTH, height: HEIGHT, screen: { width: (width - 2 * MARGIN) / READABLE, height: Math.max(height, 1) / READABLE },
      nodes: shape.drawn.map(({ key, parent }) => ({ id: key, parent })), edges: shape.edges,
    };
    this.worker.postMessage(request);
  }

  /** Take over names, states and what is searched for; positions stay. */
  private refresh(): void {
    this.graph.batch(() => this.shape.drawn.forEach((drawn) => {
      const found = this.graph.getElementById(drawn.key);
      for (const [name, value] of Object.entries(dataOf(drawn, this.colours, this.wanted))) if (found.data(name) !== value) found.data(name, value);
    }));
    this.publish(this.shape);
  }

  private place(result: LayoutResult): void {
    if (result.id !== this.request) return;
    const { drawn, edges } = this.shape;
    const elements: cytoscape.ElementDefinition[] = [
      ...drawn.map((each) => ({
        group: 'nodes' as const, position: result.positions[each.key] ?? { x: 0, y: 0 },
        data: { id: each.key, parent: each.parent ?? undefined, ...dataOf(each, this.colours, this.wanted) },
      })),
      ...edges.map((edge) => ({ group: 'edges' as const, data: { id: `${edge.source}>${edge.target}`, ...edge } })),
    ];
    this.graph.batch(() => {
      this.graph.elements().remove();
      this.graph.add(elements);
      if (drawn.length > MANY) this.graph.edges().style('curve-style', 'haystack');
    });
    delete this.element.dataset.arranging;
    this.far = false;
    this.begin();
    this.colourFar();
    this.choose(this.chosen);
    this.reveal(this.chosen);
    this.publish(this.shape);
  }

  /** Tell tests and tools how many resources are shown in which state. */
  private publish(shape: Shape): void {
    if (this.graph.nodes().length !== shape.drawn.length) return;
    this.element.dataset.nodes = String(shape.drawn.length);
    this.element.dataset.tones = JSON.stringify(tonesOf(shape.drawn.flatMap((each) => each.members)));
  }

  /** The key of what stands for a resource: of its group, if it is folded. */
  private drawnOf(key: string): string {
    return this.shape.drawn.find((each) => each.members.some((node) => node.key === key))?.key ?? key;
  }

  choose(key: string): void {
    this.chosen = this.drawnOf(key);
    this.graph.batch(() => {
      this.graph.elements('.chosen, .near').removeClass('chosen near');
      const found = this.graph.getElementById(this.chosen);
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
    const node = this.graph.getElementById(this.drawnOf(key)), { x1, x2, y1, y2 } = this.graph.extent();
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

  recolour(): void {
    this.colours = colours();
    this.graph.style(stylesheet(this.colours));
    this.refresh();
  }

  /** Show the whole; of a drawing that is only too high to be read, its top. */
  private begin(): void {
    this.fit();
    const { x1, y1, w } = this.graph.elements().boundingBox({}), width = this.graph.width();
    const zoom = Math.min((width - 2 * MARGIN) / w, 1);
    if (this.graph.zoom() >= READABLE || zoom < READABLE - 0.01) return;
    this.graph.viewport({ zoom, pan: { x: (width - w * zoom) / 2 - x1 * zoom, y: MARGIN - y1 * zoom } });
  }

  fit(): void {
    if (!this.graph.elements().length) return;
    this.graph.fit(undefined, MARGIN);
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
