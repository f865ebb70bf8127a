// What the service says about texts while they are written: the findings of its linter, and completions.
import type { Completion } from '@codemirror/autocomplete';
import type { Api } from './api';
import type { Finding } from './editor';

export interface Placed extends Finding { file: string }
export interface Texts { template: string; environment: string; files: Record<string, string> }
export interface Body { template: string; environment?: string; files: Record<string, string> }

interface LintFinding { file: string; line: number; column: number; level: string; rule: string; text: string }
interface Item { text: string; kind: string; detail: string; description: string; is_key: boolean }

const SEVERITIES: Record<string, Finding['severity']> = { error: 'error', warning: 'warning', note: 'info' };
const KINDS: Record<string, string> = { type: 'class', property: 'property', value: 'enum', function: 'function', reference: 'variable', keyword: 'keyword' };

export function bodyOfTexts(texts: Texts): Body {
  return { template: texts.template, environment: texts.environment || undefined, files: texts.files };
}

/** Return the findings of the linter, errors first. */
export async function lint(api: Api, body: Body, signal?: AbortSignal): Promise<Placed[]> {
  const { findings } = await api.request<{ findings: LintFinding[] }>('POST', 'validate/lint', body, undefined, signal);
  const found = findings.map((each): Placed => ({
    file: each.file, line: each.line, column: each.column, message: `${each.text} (${each.rule})`, severity: SEVERITIES[each.level] ?? 'info',
  }));
  return found.sort((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'));
}

/** Return what may stand at a place of a text, and the length of the word before it. */
export async function complete(api: Api, body: Body, file: string, line: number, column: number): Promise<{ items: Completion[]; length: number }> {
  const found = await api.request<{ items: Item[]; length: number }>('POST', 'validate/complete', { ...body, file, line, column });
  const items = found.items.map((each): Completion => ({
    label: each.text, type: KINDS[each.kind], detail: each.detail || undefined, info: plain(each.description) || undefined,
    apply: each.is_key ? `${each.text}: ` : each.text,
  }));
  return { items, length: found.length };
}

/** Return a text in Markdown without its marks, which a tooltip shows as they are. */
function plain(text: string): string {
  return text.replace(/\*\*|`/g, '');
}
