// Small parts that all views share.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, isPassing, RETRY } from './api';

/** The family of a status, which selects its colour. */
export function tone(status: string | undefined | null): string {
  if (!status) return 'none';
  if (status.endsWith('FAILED') || status === 'down') return 'failed';
  if (status.endsWith('IN_PROGRESS')) return 'progress';
  if (/^(SUSPEND|DELETE|ROLLBACK)_COMPLETE$/.test(status)) return 'quiet';
  if (status.startsWith('INIT')) return 'none';
  return 'complete';
}

/** A text of users in one direction; its lines stay. */
export function oneWay(text: string | null | undefined): string {
  return (text ?? '').replace(/[\u0000-\u0008\u000b-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '·');
}

/** A name in one direction, and never without a visible sign: names are hostile text. */
export function plain(name: string | null | undefined): string {
  const shown = oneWay(name).replace(/[\t\n]/g, '·');
  return /^[\s\p{Cf}\p{M}]+$/u.test(shown) ? [...shown].slice(0, 8).fill('·').join('') : shown;
}

export const MARKS: Record<string, string> = { failed: '✕', progress: '◐', quiet: '–', none: '○', complete: '✓' };

export function Status({ value }: { value: string | undefined | null }) {
  const kind = tone(value);
  const text = value === 'INIT_COMPLETE' ? 'waiting' : (value ?? '').replaceAll('_', ' ').toLowerCase();
  return <span class={`status ${kind}`}><span class="mark" aria-hidden="true">{MARKS[kind]}</span>{text}</span>;
}

export function age(time: string | null | undefined, now = Date.now()): string {
  if (!time) return '';
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} d`;
}

export function Age({ time }: { time: string | null | undefined }) {
  useClock(1000);
  return time ? <time dateTime={time} title={new Date(time).toLocaleString()}>{age(time)}</time> : null;
}

export function clock(time: string): string {
  return new Date(time).toLocaleTimeString([], { hour12: false });
}

export function useClock(milliseconds: number): void {
  const [, set] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => set((turn) => turn + 1), milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds]);
}

export function errorText(error: unknown): string {
  if (error instanceof ApiError) {
    const where = error.position ? ` (${error.position.file}, line ${error.position.line}, column ${error.position.column})` : '';
    if (error.status === 403) return `${error.message} Your roles do not allow this; an administrator of the project can.${where}`;
    return error.message + where;
  }
  return String((error as Error)?.message ?? error);
}

export function ErrorNote({ error }: { error: unknown }) {
  return error ? <p class={isPassing(error) ? 'note failed passing' : 'note failed'} role="alert">{oneWay(errorText(error))}</p> : null;
}

/** The result of a function that reads, again when its keys change, and until the service answers. */
export function useLoad<T>(read: () => Promise<T>, keys: unknown[]): { value: T | null; error: unknown; again: () => void } {
  const [state, setState] = useState<{ value: T | null; error: unknown }>({ value: null, error: null });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let current = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    read().then((value) => current && setState({ value, error: null }))
      .catch((error) => {
        if (!current) return;
        setState((old) => ({ ...old, error }));
        if (isPassing(error)) timer = setTimeout(() => setTurn((old) => old + 1), RETRY);
      });
    return () => { current = false; clearTimeout(timer); };
  }, [...keys, turn]);
  return { ...state, again: () => setTurn((old) => old + 1) };
}

export function Dialog({ title, onClose, children, wide = false }: {
  title: string; onClose: () => void; children: ComponentChildren; wide?: boolean;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const [opener] = useState(document.activeElement as HTMLElement | null);
  useEffect(() => {
    const dialog = element.current!;
    if (!dialog.open) dialog.showModal();
    return () => { dialog.close(); opener?.focus(); };
  }, []);
  return (
    <dialog ref={element} class={wide ? 'wide' : ''} aria-label={title}
      onCancel={(event) => { event.preventDefault(); onClose(); }}>
      <header><h2>{title}</h2><button class="plain" aria-label="Close" onClick={onClose}>✕</button></header>
      <div class="body">{children}</div>
    </dialog>
  );
}

/** A dialog that does one thing after a confirmation; ``word`` must be typed for dangerous ones. */
export function Confirm({ title, children, word, label, danger = false, onClose, run }: {
  title: string; children: ComponentChildren; word?: string; label: string; danger?: boolean;
  onClose: () => void; run: () => Promise<unknown>;
}) {
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const submit = async (event: globalThis.Event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try { await run(); onClose(); } catch (problem) { setError(problem); setBusy(false); }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        {children}
        {word !== undefined && (
          <label>Type <code class="word">{word}</code> to confirm
            <input value={typed} autocomplete="off" spellcheck={false} autofocus onInput={(event) => setTyped(event.currentTarget.value)} />
          </label>
        )}
        <ErrorNote error={error} />
        <div class="actions">
          <button type="button" onClick={onClose}>Keep as it is</button>
          <button class={danger ? 'danger' : 'primary'} disabled={busy || (word !== undefined && typed !== word)}>{label}</button>
        </div>
      </form>
    </Dialog>
  );
}

export function Value({ value }: { value: unknown }) {
  if (value === null || value === undefined) return <span class="dim">none</span>;
  if (typeof value === 'string') return <span class="value">{oneWay(value)}</span>;
  return <code class="value">{typeof value === 'object' ? oneWay(JSON.stringify(value, null, 1)) : String(value)}</code>;
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}

/** Rows of a fixed height, of which only those in sight are in the document. */
export function Rows<T>({ items, height, label, row, header }: {
  items: T[]; height: number; label: string; row: (item: T) => ComponentChildren; header: ComponentChildren;
}) {
  const element = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [visible, setVisible] = useState(40);
  useEffect(() => {
    const found = element.current!;
    const measure = () => setVisible(Math.ceil(found.clientHeight / height) + 2);
    const observer = new ResizeObserver(measure);
    observer.observe(found);
    measure();
    return () => observer.disconnect();
  }, [height]);
  const first = Math.max(0, Math.floor(top / height) - 4);
  const shown = items.slice(first, first + visible + 8);
  return (
    <div class="rows" ref={element} tabIndex={0} role="region" aria-label={label}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
      <table aria-rowcount={items.length + 1}>
        <thead>{header}</thead>
        <tbody>
          {first > 0 && <tr aria-hidden="true" class="spacer"><td style={{ height: `${first * height}px` }} /></tr>}
          {shown.map(row)}
          {first + shown.length < items.length && (
            <tr aria-hidden="true" class="spacer"><td style={{ height: `${(items.length - first - shown.length) * height}px` }} /></tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

/** A column of a table: its text in the head, and the value by which rows are ordered and exported. */
export interface Column<T> { label: string; value: (row: T) => string | number | null | undefined; class?: string }
export interface Order { column: string; down: boolean }

/** The order of texts with numbers in them: ``group/2`` before ``group/10``. */
export const byNumber = (one: string, other: string): number => one.localeCompare(other, undefined, { numeric: true });

/** Return rows in the order of a column; without one as they are. Rows of equal values stay as they are. */
export function ordered<T>(rows: T[], columns: Column<T>[], order: Order | null): T[] {
  const chosen = columns.find((each) => each.label === order?.column);
  if (!chosen || !order) return rows;
  const compare = (one: T, other: T) => {
    const a = chosen.value(one) ?? '', b = chosen.value(other) ?? '';
    return typeof a === 'number' && typeof b === 'number' ? a - b : byNumber(String(a), String(b));
  };
  return [...rows].sort((one, other) => (order.down ? -1 : 1) * compare(one, other));
}

/** The heads of a table: a click orders by the column, the next one backwards, the third as it was. */
export function Heads<T>({ columns, order, change, before, after }: { columns: Column<T>[]; order: Order | null; change: (order: Order | null) => void; before?: ComponentChildren; after?: ComponentChildren }) {
  const next = (label: string) => (order?.column !== label ? { column: label, down: false } : order.down ? null : { column: label, down: true });
  return (
    <tr>{before}{columns.map(({ label, class: kind }) => {
      const own = order?.column === label ? order : null;
      return <th class={kind} aria-sort={own ? (own.down ? 'descending' : 'ascending') : undefined}><button class="sort" title={`Order by ${label.toLowerCase()}`} onClick={() => change(next(label))}>{label}<span aria-hidden="true">{own ? (own.down ? ' ▾' : ' ▴') : ''}</span></button></th>;
    })}{after}</tr>
  );
}

/** Let the browser store a text as a file. */
export function download(name: string, text: string, type = 'text/plain'): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Spreadsheets take these first signs for a formula: names of users must not become one. */
const FORMULA = /^[=+\-@\t\r]/;

function csv<T>(rows: T[], columns: Column<T>[]): string {
  const cell = (value: string | number | null | undefined) => {
    const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value ?? '');
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns.map((each) => each.label), ...rows.map((row) => columns.map((each) => each.value(row)))]
    .map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}

/** The button that stores the rows of a table, as they are filtered and ordered, as a file. */
export function Export<T>({ name, rows, columns }: { name: string; rows: T[]; columns: Column<T>[] }) {
  return <button disabled={!rows.length} title="Download these rows as CSV" onClick={() => download(`${name}.csv`, csv(rows, columns), 'text/csv')}>Export</button>;
}

export function Copy({ text, label }: { text: string; label: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return navigator.clipboard ? <button class="plain" aria-label={label} onClick={() => void copy()}>{done ? 'Copied' : 'Copy'}</button> : null;
}
