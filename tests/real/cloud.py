"""A real cloud over REST with the credentials of the OS_* variables."""

import time

from keystoneauth1 import exceptions, session
from keystoneauth1.identity import v3

PAUSE, WAIT_SECONDS = 0.3, 60
#: what must be unchanged at the end: service -> collections, each with the key of its list
HOLDINGS = {
    'network': {
        f'/v2.0/{path}': key or path.rpartition('/')[2].replace('-', '_')
        for path, key in {
            'address-scopes': '',
            'floatingips': '',
            'metering/metering-labels': '',
            'networks': '',
            'ports': '',
            'qos/policies': '',
            'rbac-policies': '',
            'routers': '',
            'security-groups': '',
            'segments': '',
            'subnetpools': '',
            'subnets': '',
            'trunks': '',
            'fwaas/firewall_groups': '',
        }.items()
    },
    'block-storage': {
        '/volumes?all_tenants=1': 'volumes',
        '/snapshots?all_tenants=1': 'snapshots',
        '/backups?all_tenants=1': 'backups',
        '/types?is_public=None': 'volume_types',
        '/qos-specs': 'qos_specs',
    },
    'identity': {
        f'/{path}': path
        for path in (
            'projects',
            'users',
            'groups',
            'roles',
            'domains',
            'regions',
            'services',
            'endpoints',
            'credentials',
        )
    }
    | {
        f'/OS-{path}': path.rpartition('/')[2]
        for path in ('EP-FILTER/endpoint_groups', 'FEDERATION/service_providers')
    },
    'key-manager': {'/v1/secrets': 'secrets', '/v1/project-quotas': 'project_quotas'},
    'dns': {'/v2/blacklists': 'blacklists'},
    'shared-file-system': {'/share-networks': 'share_networks'},
    'image': {'/v2/images': 'images'},
    'compute': {'/servers?all_tenants=1': 'servers'},
    'object-store': {'?format=json': None},
}
#: the prefix of the names of all objects of cases
OURS = 'real-'
SERVICES = {
    'Neutron': 'network',
    'Cinder': 'block-storage',
    'Keystone': 'identity',
    'Glance': 'image',
    'Nova': 'compute',
    'Swift': 'object-store',
    'Barbican': 'key-manager',
    'Designate': 'dns',
    'Manila': 'shared-file-system',
}
HEADERS = {
    'compute': {'OpenStack-API-Version': 'compute 2.90'},
    'block-storage': {'OpenStack-API-Version': 'volume 3.59'},
    # any value: the request has a token instead of a signature
    'cloudformation': {'X-Auth-User': 'any'},
}


class Cloud:
    """A cloud and its orchestration service; the service's ``url`` defaults to the catalog's."""

    def __init__(self, env, url=None):
        domains = {
            name: env.get(f'OS_{name.upper()}', 'Default')
            for name in ('user_domain_name', 'project_domain_name')
        }
        login = v3.Password(
            env['OS_AUTH_URL'],
            username=env['OS_USERNAME'],
            password=env['OS_PASSWORD'],
            project_name=env['OS_PROJECT_NAME'],
            **domains,
        )
        self._session = session.Session(auth=login)
        self._region = env.get('OS_REGION_NAME')
        self._url = url

    def ask(self, service, path, method='GET', body=None):
        """Return the decoded response of a service; raise Refused on an error."""
        where = {'service_type': service, 'region_name': self._region, 'interface': 'public'}
        headers = HEADERS.get(service, {})
        if service == 'orchestration' and self._url:
            path, where = self._url + path, None
        answer = self._session.request(
            path, method, json=body, endpoint_filter=where, headers=headers, raise_exc=False
        )
        if answer.status_code >= 400:
            raise Refused(answer)
        try:
            return answer.json()
        except ValueError:
            return answer.text

    def holdings(self, services):
        """Return the ids of our objects in some services, by collection."""
        held = {}
        for service in services:
            for path, key in HOLDINGS[service].items():
                held[f'{service} {path}'] = self._ids(service, path, key)
        return held

    def _ids(self, service, path, key):
        """Return the ids of our objects; other users may share the cloud."""
        try:
            answer = self.ask(service, path)
        except (Refused, exceptions.EndpointNotFound):
            return []
        objects = (answer[key] if key else answer) or ()
        return sorted(
            str(each.get('id') or each.get('name')) for each in objects if self._is_ours(each)
        )

    def _is_ours(self, each):
        """Return whether an object is ours, by its project, or by its name if it has no project."""
        owner = each.get('project_id') or each.get('tenant_id') or each.get('owner')
        named = any(str(each.get(key)).startswith(OURS) for key in ('name', 'id'))
        return named if owner is None else owner == self._session.get_project_id()

    def known(self):
        """Return ids for the placeholders ``{image NAME}``, ``{flavor NAME}`` and ``{address
        identity}``.
        """
        found = {
            f'{{image {each["name"]}}}': each['id']
            for each in self.ask('image', '/v2/images')['images']
        }
        found.update(
            {
                f'{{flavor {each["name"]}}}': each['id']
                for each in self.ask('compute', '/flavors')['flavors']
            }
        )
        found['{address identity}'] = self._session.get_endpoint(
            service_type='identity', region_name=self._region, interface='public'
        )
        return found

    def make(self, given):
        """Create an object that a case needs; ``until`` are the states to wait for.

        ``given`` has ``service``, ``path`` and ``body``.
        """
        (made,) = self.ask(given['service'], given['path'], 'POST', given['body']).values()
        while 'until' in given and made.get('status') not in given['until']:
            if str(made.get('status')).lower() == 'error':
                raise RuntimeError(f'{given["path"]}: {made}')
            time.sleep(PAUSE)
            (made,) = self.ask(given['service'], f'{given["path"]}/{made["id"]}').values()
        return made['id']

    def take(self, given, made):
        """Delete the object; retry while it is in use."""
        path, until = f'{given["path"]}/{made}', time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until:
            try:
                self.ask(given['service'], path, 'DELETE')
                while 'until' in given:
                    self.ask(given['service'], path)
                    time.sleep(PAUSE)
            except Refused as error:
                if error.code == 404:
                    return
                time.sleep(PAUSE)
            else:
                return
        print(f'  {path} could not be deleted', flush=True)


class Refused(Exception):
    """An error response of a service."""

    def __init__(self, answer):
        super().__init__(f'{answer.status_code} {answer.text[:500]}')
        self.code = answer.status_code
        try:
            self.body = answer.json()
        except ValueError:
            self.body = {}
