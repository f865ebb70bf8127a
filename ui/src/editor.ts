// The editor of templates. It lives in a shadow root, where CodeMirror uses constructed style sheets:
// the policy of the page forbids style elements.
import { type Completion, type CompletionContext } from '@codemirror/autocomplete';
import { yaml, yamlLanguage } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup } from 'codemirror';

export interface Finding { line: number; column: number; message: string; severity: 'error' | 'warning' | 'info' }
export interface Options { readOnly?: boolean; label: string; changed?: (text: string) => void; completions?: (line: number, column: number, text: string) => Promise<{ items: Completion[]; length: number }> }

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', backgroundColor: 'var(--panel)', color: 'var(--text)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--dim)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--accent) 9%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent) !important' },
  '.cm-tooltip, .cm-panels': { backgroundColor: 'var(--panel)', color: 'var(--text)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: '#fff' },
});
const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--code-key)' },
  { tag: [tags.string, tags.content], color: 'var(--code-text)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--dim)', fontStyle: 'italic' },
]);

/** Return where in the rest of a line the faulty word begins, and its length: a word that the message
 * quotes or has in brackets, if it stands there, else the first one. A word may contain colons, and spaces in quotes. */
export function faultyWord(rest: string, message: string): [number, number] {
  for (const [, inQuotes, inBrackets] of message.matchAll(/["'`“]([^"'`”]+)["'`”]|\((\w+)\)/g)) {
    const quoted = inQuotes ?? inBrackets;
    const at = rest.search(new RegExp(`(?<![\\w.:-])${quoted.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`));
    if (at >= 0) return [at, quoted.length];
  }
  const word = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|(?:[^\s:,\]}{]|:(?=\S))+)/.exec(rest)?.[0];
  return [0, word?.length || 1];
}

export class Editor {
  private readonly view: EditorView;
  private readonly wrapper = document.createElement('div');

  constructor(host: HTMLElement, text: string, options: Options) {
    this.wrapper.className = 'editor-root';
    const root = this.wrapper.attachShadow({ mode: 'open' });
    host.append(this.wrapper);
    const parent = document.createElement('div');
    parent.style.height = '100%';
    root.append(parent);
    const completions = async (context: CompletionContext) => {
      const word = context.matchBefore(/[\w:.%\/-]+/);
      if (!options.completions || (!word && !context.explicit && !context.matchBefore(/[:\[{-] $/))) return null;
      const line = context.state.doc.lineAt(context.pos);
      try {
        const found = await options.completions(line.number, context.pos - line.from + 1, context.state.doc.toString());
        return found.items.length ? { from: context.pos - found.length, options: found.items, validFor: /^[\w:.%\/-]*$/ } : null;
      } catch {
        return null; // a completion that comes too late, or not at all, is missed by nobody
      }
    };
    this.view = new EditorView({
      parent, root,
      state: EditorState.create({
        doc: text,
        extensions: [
          basicSetup, yaml(), yamlLanguage.data.of({ autocomplete: completions }), theme, syntaxHighlighting(highlight),
          new Compartment().of(EditorState.readOnly.of(!!options.readOnly)), EditorState.tabSize.of(2),
          EditorView.contentAttributes.of({ 'aria-label': options.label, tabindex: '0', ...(options.readOnly ? { 'aria-readonly': 'true' } : {}) }),
          EditorView.updateListener.of((update) => { if (update.docChanged) options.changed?.(update.state.doc.toString()); }),
        ],
      }),
    });
  }

  mark(findings: Finding[]): void {
    const { doc } = this.view.state;
    const diagnostics = findings.map((each): Diagnostic => {
      const line = doc.line(Math.min(Math.max(each.line, 1), doc.lines));
      const from = Math.min(line.from + Math.max(each.column - 1, 0), line.to);
      const [start, length] = faultyWord(doc.sliceString(from, line.to), each.message);
      return { from: from + start, to: Math.min(from + start + length, line.to), severity: each.severity, message: each.message };
    });
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
  }

  reveal(line: number): void {
    const found = this.view.state.doc.line(Math.min(Math.max(line, 1), this.view.state.doc.lines));
    this.view.dispatch({ selection: { anchor: found.from }, effects: EditorView.scrollIntoView(found.from, { y: 'center' }) });
  }

  focus(): void { this.view.focus(); }

  destroy(): void { this.view.destroy(); this.wrapper.remove(); }
}
