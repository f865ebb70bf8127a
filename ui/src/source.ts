// Templates as text: the API sends them as objects.
import { isCollection, isMap, isScalar, LineCounter, parseDocument, stringify } from 'yaml';

const ORDER = ['heat_template_version', 'AWSTemplateFormatVersion', 'HeatTemplateFormatVersion', 'description', 'Description', 'parameter_groups', 'parameters', 'Parameters', 'conditions', 'resources', 'Resources', 'outputs', 'Outputs'];

/** Return an object as YAML, the sections of a template in their usual order. */
export function dump(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return stringify(value);
  const place = (key: string) => (ORDER.indexOf(key) + 1) || ORDER.length + 1;
  const entries = Object.entries(value).sort(([one], [other]) => place(one) - place(other));
  return stringify(Object.fromEntries(entries), { lineWidth: 96, aliasDuplicateObjects: false });
}

/** Return the place of the key at the end of a path in a text, from 1; null if the text has no such path. */
export function placeOf(text: string, path: string[]): { line: number; column: number } | null {
  const counter = new LineCounter();
  let node: unknown = parseDocument(text, { lineCounter: counter }).contents;
  let place: { line: number; column: number } | null = null;
  for (const name of path) {
    if (!isCollection(node) || !isMap(node)) return null;
    const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === name);
    if (!pair || !isScalar(pair.key) || !pair.key.range) return null;
    const { line, col: column } = counter.linePos(pair.key.range[0]);
    place = { line, column };
    node = pair.value;
  }
  return place;
}

export interface Mistake { line: number; column: number; message: string }

/** Return the mistakes of YAML in a text. */
export function mistakesOf(text: string): Mistake[] {
  const found = parseDocument(text, { prettyErrors: true });
  return found.errors.map((error) => ({
    line: error.linePos?.[0].line ?? 1, column: error.linePos?.[0].col ?? 1, message: error.message.split('\n')[0].replace(/ at line \d+, column \d+:?$/, ''),
  }));
}
