// Addresses behind the # of the URL: #/PROJECT/part/part?key=value. They contain no token (main.tsx takes #token=...).
import { useEffect, useState } from 'preact/hooks';

export interface Route { project: string; parts: string[]; query: URLSearchParams }

function decode(text: string): string {
  try { return decodeURIComponent(text); } catch { return text; }
}

export function parse(hash: string): Route {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [project = '', ...parts] = path.split('/').map(decode);
  return { project, parts, query: new URLSearchParams(query) };
}

export function href(project: string, parts: string[], query: Record<string, string> = {}): string {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value)).toString();
  return `#/${[project, ...parts].map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`;
}

export function go(target: string, replace = false): void {
  if (replace) {
    history.replaceState(null, '', target);
    window.dispatchEvent(new HashChangeEvent('hashchange'));
  } else {
    location.hash = target;
  }
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parse(location.hash));
  useEffect(() => {
    const changed = () => setRoute(parse(location.hash));
    window.addEventListener('hashchange', changed);
    return () => window.removeEventListener('hashchange', changed);
  }, []);
  return route;
}
