// The layout of a graph, in a thread of its own: layers by dagre, unconnected parts side by side.
import dagre from '@dagrejs/dagre';

export interface LayoutNode { id: string; parent: string | null }
export interface LayoutEdge { source: string; target: string }
export interface LayoutRequest { id: number; nodes: LayoutNode[]; edges: LayoutEdge[]; width: number; height: number; screen: Screen }
/** The size of the drawing on the screen at the smallest zoom at which it can be read. */
export interface Screen { width: number; height: number }
export interface LayoutResult { id: number; positions: Record<string, { x: number; y: number }> }

interface Box { width: number; height: number; places: Map<string, { x: number; y: number }> }
const GAP = 24, PADDING = 22, TITLE = 16, BESIDE = 18, BELOW = 44;
/** Parts of more nodes are laid out faster. */
const MANY = 150;
/** How much wider than the whole drawing a part of a graph that cannot be read as a whole may be. */
const TOO_WIDE = 2.5;
/** A drawing that can be read is at most so many screens high: it is scrolled. */
const SCREENS = 3;

/** The wanted width of a drawing of an area: one that can be read and scrolled down, else in the shape of the screen. */
function widthOf(area: number, { width, height }: Screen): { limit: number; isRead: boolean } {
  const whole = Math.sqrt((area * width) / height);
  const isRead = area <= SCREENS * width * height;
  return { limit: isRead ? Math.min(whole, width) : whole, isRead };
}

/** Lay out the children of a parent, those inside first. Positions are relative to the box. */
function layOut(parent: string | null, request: LayoutRequest, children: Map<string | null, LayoutNode[]>): Box {
  const own = children.get(parent) ?? [];
  const boxes = new Map<string, Box>();
  for (const node of own) {
    if (children.has(node.id)) boxes.set(node.id, layOut(node.id, request, children));
  }
  const size = (id: string) => {
    const box = boxes.get(id);
    return box ? { width: box.width + 2 * PADDING, height: box.height + 2 * PADDING + TITLE }
      : { width: request.width, height: request.height };
  };
  const parts = components(own.map((node) => node.id), request.edges);
  const placed = pack(parts.map((part) => layers(part, request, size)), request.screen);
  for (const [id, box] of boxes) {
    const centre = placed.places.get(id)!;
    placed.places.delete(id);
    const left = centre.x - box.width / 2, top = centre.y - box.height / 2 + TITLE / 2;
    for (const [inner, at] of box.places) placed.places.set(inner, { x: left + at.x, y: top + at.y });
  }
  return placed;
}

/** The connected parts of a graph: the edges are few, so each is looked at once. */
function components(ids: string[], edges: LayoutEdge[]): string[][] {
  const near = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const edge of edges) {
    if (!near.has(edge.source) || !near.has(edge.target)) continue;
    near.get(edge.source)!.push(edge.target);
    near.get(edge.target)!.push(edge.source);
  }
  const seen = new Set<string>();
  const parts: string[][] = [];
  for (const id of ids) {
    if (seen.has(id)) continue;
    seen.add(id);
    const part = [id];
    for (let index = 0; index < part.length; index += 1) {
      for (const next of near.get(part[index])!) {
        if (!seen.has(next)) { seen.add(next); part.push(next); }
      }
    }
    parts.push(part);
  }
  return parts;
}

type Size = (id: string) => { width: number; height: number };

function layers(ids: string[], request: LayoutRequest, size: Size): Box {
  if (ids.length === 1) {
    const { width, height } = size(ids[0]);
    return { width, height, places: new Map([[ids[0], { x: width / 2, y: height / 2 }]]) };
  }
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'TB', nodesep: BESIDE, ranksep: BELOW, ranker: ids.length > MANY ? 'longest-path' : 'network-simplex' });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of ids) graph.setNode(id, { ...size(id) });
  for (const edge of request.edges) {
    if (graph.hasNode(edge.source) && graph.hasNode(edge.target)) graph.setEdge(edge.source, edge.target);
  }
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  const places = new Map(ids.map((id) => [id, { x: graph.node(id).x, y: graph.node(id).y }]));
  const { limit, isRead } = widthOf(request.nodes.length * (request.width + BESIDE) * (request.height + BELOW), request.screen);
  const { width: seen } = request.screen;
  return width > (isRead ? seen : TOO_WIDE * limit) ? fold(places, size, isRead ? seen : limit) : { width, height, places };
}

/** Break layers that are much wider than the screen into lines, as a text is. */
function fold(places: Map<string, { x: number; y: number }>, size: Size, limit: number): Box {
  const ranks = new Map<number, string[]>();
  for (const [id, { y }] of places) {
    const rank = ranks.get(y);
    if (rank) rank.push(id);
    else ranks.set(y, [id]);
  }
  const folded = new Map<string, { x: number; y: number }>();
  const lines: { ids: string[]; width: number; height: number; isLast: boolean }[] = [];
  for (const [, ids] of [...ranks].sort(([one], [other]) => one - other)) {
    ids.sort((one, other) => places.get(one)!.x - places.get(other)!.x);
    let line = { ids: [] as string[], width: -BESIDE, height: 0, isLast: false };
    for (const id of ids) {
      const { width, height } = size(id);
      if (line.ids.length && line.width + BESIDE + width > limit) { lines.push(line); line = { ids: [], width: -BESIDE, height: 0, isLast: false }; }
      line.ids.push(id);
      line.width += BESIDE + width;
      line.height = Math.max(line.height, height);
    }
    lines.push({ ...line, isLast: true });
  }
  const widest = Math.max(...lines.map((line) => line.width));
  let y = 0;
  for (const line of lines) {
    let x = (widest - line.width) / 2;
    for (const id of line.ids) {
      const { width, height } = size(id);
      folded.set(id, { x: x + width / 2, y: y + height / 2 });
      x += width + BESIDE;
    }
    y += line.height + (line.isLast ? BELOW : BESIDE);
  }
  return { width: widest, height: y - BELOW, places: folded };
}

/** Put boxes in rows, so that the whole has about the wanted proportion. */
function pack(boxes: Box[], screen: Screen): Box {
  boxes.sort((one, other) => other.places.size - one.places.size || other.height - one.height);
  const area = boxes.reduce((sum, box) => sum + (box.width + GAP) * (box.height + GAP), 0);
  const limit = Math.max(widthOf(area, screen).limit, ...boxes.map((box) => box.width));
  const places = new Map<string, { x: number; y: number }>();
  let x = 0, y = 0, row = 0, width = 0;
  for (const box of boxes) {
    if (x > 0 && x + box.width > limit) { x = 0; y += row + GAP; row = 0; }
    for (const [id, at] of box.places) places.set(id, { x: x + at.x, y: y + at.y });
    x += box.width + GAP;
    row = Math.max(row, box.height);
    width = Math.max(width, x - GAP);
  }
  return { width, height: y + row, places };
}

self.onmessage = (message: MessageEvent<LayoutRequest>) => {
  const request = message.data;
  const children = new Map<string | null, LayoutNode[]>();
  for (const node of request.nodes) {
    const siblings = children.get(node.parent);
    if (siblings) siblings.push(node);
    else children.set(node.parent, [node]);
  }
  const { places } = layOut(null, request, children);
  const result: LayoutResult = { id: request.id, positions: Object.fromEntries(places) };
  (self as unknown as { postMessage(value: LayoutResult): void }).postMessage(result);
};
