// The documentation of this version, which the service has beside the page, in Markdown.
import { Marked } from 'marked';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { ApiError, reach } from './api';
import { href, type Route } from './router';
import { ErrorNote, useLoad } from './widgets';

const START = 'index.md';
/** The site has a page for each resource type; here the view of the types shows them. */
const TYPES = 'guide/types/';

async function read(path: string): Promise<string> {
  const response = await reach(`docs/${path}`, { cache: 'no-cache' });
  if (!response.ok) throw new ApiError(response.status, response.status === 404 ? `The documentation has no page ${path} here. It is in the folder docs of the sources.` : `HTTP status ${response.status}`);
  return response.text();
}

/** Return the id of a heading: what links of other pages name. */
function slug(text: string): string {
  return text.toLowerCase().replace(/<[^>]*>|[^\w\s-]/g, '').trim().replace(/\s+/g, '-');
}

/** Turn marks of the site's own kinds into Markdown: admonitions, titles of code. */
function plainMarkdown(text: string): string {
  return text.replace(/^---\n[\s\S]*?\n---\n/, '').replace(/# \((\d+)\)!/g, '# ($1)')
    .replace(/^( *)(```|~~~)(\w+)[^\n]*?title="([^"]+)"[^\n]*$/gm, '$1**$4**\n\n$1$2$3')
    .replace(/^=== +"([^"]*)"\n((?:(?: {4}.*)?\n)*)/gm, (_, title: string, body: string) => `**${title}**\n${body.replace(/^ {4}/gm, '')}`)
    .replace(/^(?:!!!|\?\?\?\+?) +(\w+)(?: +"([^"]*)")?\n((?:(?: {4}.*)?\n)*)/gm, (_, kind: string, title: string, body: string) => `> **${title ?? kind}**\n>\n${body.replace(/^ {4}/gm, '').trimEnd().replace(/^/gm, '> ')}\n\n`);
}

function render(text: string, project: string, path: string): string {
  const base = new URL(path, 'docs://page/');
  const place = (target: string) => new URL(target, base);
  const marked = new Marked({ renderer: {
    heading({ tokens, depth }) { const shown = this.parser.parseInline(tokens); return `<h${depth} id="${slug(shown)}">${shown}</h${depth}>`; },
    html: () => '',
    image: ({ href: target, text: words }) => `<img src="docs${place(target).pathname}" alt="${words.replaceAll('"', '')}" class="${place(target).hash.slice(1)}">`,
    link({ href: target, tokens }) {
      const shown = this.parser.parseInline(tokens);
      if (/^(https?|mailto):/.test(target)) return `<a href="${encodeURI(target)}" target="_blank" rel="noopener">${shown}</a>`;
      const found = place(target), name = found.pathname.slice(1);
      if (name.startsWith(TYPES)) return `<a href="${href(project, ['types'])}">${shown}</a>`;
      if (!name.endsWith('.md')) return `<a href="docs/${name}" target="_blank">${shown}</a>`;
      return `<a href="${href(project, ['docs', ...name.split('/')], { at: found.hash.slice(1) })}">${shown}</a>`;
    },
  } });
  // what may be wider than the page is scrolled by the keyboard, too
  return marked.parse(plainMarkdown(text), { async: false }).replace(/<(pre|table)>/g, '<$1 tabindex="0">');
}

export function DocsView({ route }: { route: Route }) {
  const path = route.parts.slice(1).join('/') || START;
  const article = useRef<HTMLElement>(null);
  const { value, error } = useLoad(async () => ({ path, text: await read(path) }), [path]);
  const html = useMemo(() => value && render(value.text, route.project, value.path), [value, route.project]);
  const at = route.query.get('at');
  useEffect(() => {
    if (html) (at ? article.current?.querySelector(`[id="${CSS.escape(at)}"]`) : document.querySelector('header.top'))?.scrollIntoView();
  }, [html, at]);
  return (
    <main tabIndex={-1}>
      <p class="bar"><a class="crumb" href={href(route.project, ['docs'])}>Documentation</a>{path !== START && <span class="dim">/ {path}</span>}</p>
      <ErrorNote error={error} />
      {html && value?.path === path && <article class="prose docs" ref={article} dangerouslySetInnerHTML={{ __html: html }} />}
    </main>
  );
}
