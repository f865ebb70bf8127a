// What was typed and not sent yet. It stays with the tab (sessionStorage): over a reload, Back and links.
import { useEffect, useState } from 'preact/hooks';

const PREFIX = 'draft ';
/** Whole values of this page load: the stored ones lack what must not leave the memory. */
const memory = new Map<string, unknown>();
/** None where the browser forbids pages to store anything. */
const storage = (() => { try { return sessionStorage; } catch { return null; } })();

export function readDraft<T>(key: string): T | null {
  if (memory.has(key)) return memory.get(key) as T;
  try { return JSON.parse(storage?.getItem(PREFIX + key) ?? 'null') as T | null; } catch { return null; }
}

/** Keep a draft; ``stored`` is what may leave the memory. A tab without room keeps it in memory only. */
export function writeDraft<T>(key: string, value: T, stored: unknown = value): void {
  memory.set(key, value);
  try { storage?.setItem(PREFIX + key, JSON.stringify(stored)); } catch { /* the memory has it */ }
}

export function dropDraft(key: string): void {
  memory.delete(key);
  storage?.removeItem(PREFIX + key);
}

export function draftKeys(): string[] {
  return [...new Set([...memory.keys(), ...Object.keys(storage ?? {}).filter((each) => each.startsWith(PREFIX)).map((each) => each.slice(PREFIX.length))])];
}

/** Forget all drafts: they belong to who was logged in. */
export function dropAllDrafts(): void {
  draftKeys().forEach(dropDraft);
}

/** A text that is kept until it is dropped, e.g. when it was sent. */
export function useKept(key: string, initial: string): [string, (text: string) => void, () => void] {
  const [text, setText] = useState(() => readDraft<string>(key) ?? initial);
  const set = (value: string) => { setText(value); writeDraft(key, value); };
  return [text, set, () => { setText(initial); dropDraft(key); }];
}

/** Let the browser ask before the page is left, as long as something is typed that was not sent. */
export function useQuestionBeforeLeaving(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isDirty]);
}
