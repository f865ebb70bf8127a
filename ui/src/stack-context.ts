// What the page of a stack gives to each of its views.
import type { Api } from './api';
import type { Route } from './router';
import type { StackStore } from './stack-store';

export const TABS = ['graph', 'resources', 'timeline', 'events', 'outputs', 'template', 'history', 'snapshots', 'drift'] as const;
export type Tab = (typeof TABS)[number];

export interface StackContext { api: Api; store: StackStore; route: Route; select: (key: string) => void; open: (tab: Tab, query?: Record<string, string>) => void }
