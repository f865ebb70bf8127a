// The client of the API, and the login at Keystone. The token lives in this object only.

export interface Config {
  api: string;
  login: 'none' | 'token' | 'keystone';
  auth_url?: string | null;
  projects?: string[];
}

export interface Position { file: string; line: number; column: number }

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly kind = '',
    readonly position: Position | null = null,
  ) {
    super(message);
  }
}

/** Milliseconds until a failed request is sent again. */
export const RETRY = 1500;

/** Whether a request may succeed when it is sent again: the service did not answer, or could not. */
export function isPassing(problem: unknown): boolean {
  return problem instanceof ApiError && (problem.status === 0 || problem.status >= 500);
}

export interface Session {
  token: string | null;
  project: string;
  projectName: string;
  user: string;
  roles: string[];
  expires: string | null;
}

export interface Link { href: string; rel: string }
export type Json = unknown;

export interface Output { output_key: string; description: string; output_value?: Json; output_error?: string }
export interface Failure {
  resource_name: string | null; resource_type: string | null; physical_resource_id: string | null;
  action: string; stack_action: string; reason: string; time: string; times: number;
  forgotten?: boolean; holds?: string[]; changed?: string[];
}
export interface Stack {
  id: string; stack_name: string; description: string; stack_status: string;
  stack_status_reason: string; creation_time: string; updated_time: string | null;
  deletion_time: string | null; stack_owner: string; parent: string | null; tags: string[] | null;
  parameters?: Record<string, string>; outputs?: Output[]; failures?: Failure[];
  protected?: boolean; digest?: string; disable_rollback?: boolean; timeout_mins?: number | null; project?: string;
}
export interface Resource {
  resource_name: string; resource_type: string; resource_status: string;
  resource_status_reason: string; physical_resource_id: string; updated_time: string | null;
  creation_time: string | null; required_by: string[]; links: Link[]; parent_resource?: string;
  attributes?: Record<string, Json>; description?: string;
}
export interface Event {
  id: string; event_time: string; resource_name: string; physical_resource_id: string;
  resource_status: string; resource_status_reason: string; links: Link[];
  stack_name?: string; stack_id?: string; resource_type?: string;
}
export interface Snapshot {
  id: string; name: string; action?: string; status: string; status_reason: string; creation_time: string;
}
export interface Revision {
  number: number; username: string | null; message: string | null; action: string; status: string; status_reason: string;
  creation_time: string; updated_time: string | null; tags: string[]; timeout_mins: number | null; disable_rollback: boolean;
  template?: Json; template_text?: string | null; environment?: Json; files?: Record<string, string>; digest?: string;
}
export interface ParameterSchema {
  Type: string; Description: string; NoEcho: string; Label: string; Default?: Json;
  AllowedValues?: Json[]; AllowedPattern?: string; MinLength?: number; MaxLength?: number;
  MinValue?: number; MaxValue?: number; ConstraintDescription?: string; CustomConstraint?: string;
}
export interface Validation {
  Description: string; Parameters: Record<string, ParameterSchema>;
  ParameterGroups?: { label?: string; description?: string; parameters: string[] }[];
}
export interface PropertyChange {
  property: string; before: Json; after: Json; known: boolean; forces_replacement: boolean; secret: boolean;
  known_after?: Record<string, string[]>;
}
export interface Change {
  resource_name: string; resource_type: string; action: string; reason: string | null;
  forced_by?: string[]; may_replace?: boolean; property_changes?: PropertyChange[];
  definition_changes?: Json[]; nested?: Preview | null; parent_resource?: string;
  known_after?: Record<string, string[]>;
}
export interface Preview {
  resource_changes: Record<'unchanged' | 'updated' | 'replaced' | 'added' | 'deleted', Change[]>;
  has_changes: boolean; refused?: string | null; present_digest?: string;
  parameter_changes?: PropertyChange[]; output_changes?: PropertyChange[];
}

/** Send a request. Raises ApiError with the status 0 where nothing answers. */
export async function reach(url: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, options);
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    throw new ApiError(0, `The service does not answer. ${(options.method ?? 'GET') === 'GET' ? 'The page tries again by itself.' : 'Try again when it is back.'}`);
  }
}

type Query = Record<string, string | number | boolean | undefined>;

/** The path of a stack below the project; names are hostile, so each part is quoted. */
export function stackPath(name: string, id: string, ...rest: string[]): string {
  return ['stacks', name, id, ...rest].map(encodeURIComponent).join('/');
}

export class Api {
  constructor(readonly config: Config, readonly session: Session, readonly onUnauthorized: () => void) {}

  url(path: string, query: Query = {}): string {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
    const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
    return `${this.config.api}/${encodeURIComponent(this.session.project)}/${path}${text ? `?${text}` : ''}`;
  }

  /** The address of the description of the API: beside the versions. */
  descriptionUrl(): string {
    return this.config.api.replace(/\/v1\/?$/, '/openapi.json');
  }

  async description<T>(): Promise<T> {
    const response = await reach(this.descriptionUrl(), { headers: this.headers(), cache: 'no-cache' });
    if (!response.ok) throw new ApiError(response.status, `HTTP status ${response.status}`);
    return await response.json() as T;
  }

  headers(more: Record<string, string> = {}): Record<string, string> {
    return this.session.token ? { 'X-Auth-Token': this.session.token, ...more } : more;
  }

  async request<T>(method: string, path: string, body?: unknown, query?: Query, signal?: AbortSignal, more: Record<string, string> = {}): Promise<T> {
    const headers = this.headers({ Accept: 'application/json', ...more });
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    const response = await reach(this.url(path, query), {
      method, headers, signal, cache: 'no-cache', body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (response.status === 401) this.onUnauthorized();
    const text = await response.text();
    let value: unknown = null;
    try { value = text ? JSON.parse(text) : null; } catch { /* an error page of a proxy */ }
    if (!response.ok) throw errorOf(response.status, value, text);
    return value as T;
  }

  get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
    return this.request<T>('GET', path, undefined, query, signal);
  }

  action(stack: { stack_name: string; id: string }, name: string): Promise<void> {
    return this.request('POST', stackPath(stack.stack_name, stack.id, 'actions'), { [name]: null });
  }
}

function errorOf(status: number, value: unknown, text: string): ApiError {
  const body = value as { error?: { message?: string; type?: string; position?: Position }; explanation?: string } | null;
  const message = body?.error?.message || body?.explanation || text.slice(0, 500) || `HTTP status ${status}`;
  return new ApiError(status, message, body?.error?.type ?? '', body?.error?.position ?? null);
}

export interface Login {
  method: 'password' | 'application_credential' | 'token';
  user: string; domain: string; secret: string; project: string; projectDomain: string;
}

/** Return the body of a login. A token with a project, by its id, is exchanged for one of that project. */
function identityOf(login: Login): { auth: Record<string, unknown> } {
  const scope = login.project
    ? { project: { name: login.project, domain: { name: login.projectDomain } } } : undefined;
  if (login.method === 'application_credential') {
    const credential = { id: login.user, secret: login.secret };
    return { auth: { identity: { methods: [login.method], application_credential: credential } } };
  }
  if (login.method === 'token' && login.project) {
    return { auth: { identity: { methods: ['token'], token: { id: login.secret } }, scope: { project: { id: login.project } } } };
  }
  const user = { name: login.user, domain: { name: login.domain }, password: login.secret };
  return { auth: { identity: { methods: ['password'], password: { user } }, scope } };
}

interface TokenBody {
  token: { project?: { id: string; name: string }; user: { name: string }; roles?: { name: string }[]; expires_at: string };
}

/** Log in to Keystone. Raises ApiError, which states what Keystone answered. */
export async function logIn(url: string, login: Login): Promise<Session> {
  const send = async (options: RequestInit): Promise<Response> => {
    try {
      return await fetch(`${url}/auth/tokens`, { ...options, credentials: 'omit' });
    } catch {
      throw new ApiError(0, `Keystone at ${url} cannot be reached from this page. It must run, and its option `
        + `[cors] allowed_origin must list ${location.origin}.`);
    }
  };
  const isChecked = login.method === 'token' && !login.project;
  const response = isChecked
    ? await send({ headers: { 'X-Auth-Token': login.secret, 'X-Subject-Token': login.secret } })
    : await send({ method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(identityOf(login)) });
  if (!response.ok) {
    throw new ApiError(response.status, response.status === 401 || response.status === 404
      ? 'Keystone refuses the login. Check name, domain, project and secret.'
      : `Keystone answers with status ${response.status}.`);
  }
  const { token } = await response.json() as TokenBody;
  const value = isChecked ? login.secret : response.headers.get('X-Subject-Token');
  if (!value) throw new ApiError(0, 'Keystone hides the token from this page: its option [cors] expose_headers must list X-Subject-Token.');
  if (!token.project) throw new ApiError(0, 'The login has no project. Name one.');
  return {
    token: value, project: token.project.id, projectName: token.project.name, user: token.user.name,
    roles: (token.roles ?? []).map((role) => role.name), expires: token.expires_at,
  };
}

/** Return the projects for which Keystone gives the owner of a token another one. */
export async function projectsOf(url: string, token: string): Promise<{ id: string; name: string }[]> {
  const response = await fetch(`${url}/auth/projects`, { headers: { 'X-Auth-Token': token }, credentials: 'omit' });
  return response.ok ? (await response.json() as { projects: { id: string; name: string }[] }).projects : [];
}
