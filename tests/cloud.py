"""A fake cloud: services that keep objects in memory and speak HTTP.

They have the status codes, latencies and faults of real services. ``cloud.yaml`` describes what
each service accepts, requires and adds, so a request that the real service refuses is refused here.
"""

import contextlib
import dataclasses
import json
import re
import threading
import time
import uuid
from pathlib import Path
from urllib.parse import parse_qs

import yaml

# importing the modules registers their routes
from tests import (
    cloud_actions,
    cloud_servers,  # noqa: F401
    cloud_services,  # noqa: F401
    identity,
    stack_domain,
    timeouts,
)
from tests.cloud_actions import Refused

TABLE = yaml.safe_load((Path(__file__).parent / 'cloud.yaml').read_text())
USER, PROJECT = 'tester', 'testers'
REASONS = {
    **{
        200: 'OK',
        201: 'Created',
        202: 'Accepted',
        204: 'No Content',
        400: 'Bad Request',
        401: 'Unauthorized',
        403: 'Forbidden',
    },
    **{
        404: 'Not Found',
        405: 'Method Not Allowed',
        406: 'Not Acceptable',
        409: 'Conflict',
        413: 'Over Limit',
        429: 'Too Many Requests',
    },
    **{
        500: 'Internal Server Error',
        502: 'Bad Gateway',
        503: 'Service Unavailable',
        504: 'Gateway Timeout',
    },
}
EXTENSIONS = (
    'address-scope provider subnet_allocation router security-group qos qos-bw-minimum-ingress '
    'stateful-security-group qos-pps-minimum segment trunk quotas '
    'rbac-policies extraroute extraroute-atomic floating-ip-port-forwarding vpnaas fwaas_v2 '
    'address-group security-groups-remote-address-group security-groups-default-rules '
    'bgp bgp_dragent_scheduler bgpvpn bgpvpn-routes-control bgpvpn-vni vpn-endpoint-groups '
    'local_ip l3-ndp-proxy l3-conntrack-helper qos-pps network-segment-range tap-mirror '
    'default-subnetpools dns-domain-ports l3-flavors multi-provider port-device-profile '
    'port-numa-affinity-policy subnet-dns-publish-fixed-ip vlan-transparent '
    'extra_dhcp_opt subnet-service-types metering-source-and-destination-ip-prefixes '
    'network-gateway taas l2-gateway l2-gateway-connection sfc '
    'encryption qos-specs os-quota-sets os-types-manage os-volume-type-access'
).split()
#: keys that name an object of another collection, which must exist
REFERENCE = re.compile(
    r'(?!tenant|project|domain|parent|device|segmentation|peer|local_id|connector)\w+_id$'
)
NOBODY = frozenset(('', None, 'default'))


@dataclasses.dataclass
class Collection:
    """One row of ``cloud.yaml``.

    ``slow`` is the status before an object is ready, ``ready`` the one after it and ``dies`` the
    one during its delete; ``state`` is their key. ``open`` accepts further keys, ``secret`` keys
    are stored but never shown.
    """

    service: str
    path: str
    key: str | None
    takes: str
    keys: str = ''
    id: str = 'id'
    given_id: bool = False
    #: a list wraps each object in its key
    wrapped: bool = False
    #: a PUT of a path without an object makes one
    named: bool = False
    update: str = 'PUT'
    slow: str | None = None
    ready: str | None = None
    dies: str | None = None
    state: str = 'status'
    open: bool = False
    adds: dict = dataclasses.field(default_factory=dict)
    secret: tuple = ()
    #: the key of an object's URL, for services that use URLs as ids
    ref: str | None = None

    def __post_init__(self):
        words = self.takes.split()
        self.keys = self.keys or f'{self.key}s'
        self.known = {word.strip('*!') for word in words}
        self.needed = {word.strip('*!') for word in words if '*' in word}
        self.fixed = {word.strip('*!') for word in words if '!' in word}
        self.pattern = re.compile(
            re.sub(r'\{(\w+)\}', r'(?P<\1>[^/]+)', self.path) + r'(/detail|/(?P<object_id>[^/]+))?'
        )


COLLECTIONS = [
    Collection(service, path, **row)
    for service, entry in TABLE.items()
    for path, row in (entry.get('collections') or {}).items()
]
#: the beginning of a path of Swift, whose accounts this cloud does not tell apart
ACCOUNT = re.compile('^/AUTH_[^/]+')
PREFIXES = {service: entry['prefix'] for service, entry in TABLE.items()}


class Cloud:
    """The WSGI application of all services except Keystone.

    ``objects`` maps (service, path of the collection, id) to objects. ``asked`` lists the requests.
    """

    #: whether a token is valid; a test may replace it to expire tokens
    accepts = staticmethod(lambda token: True)

    def __init__(self):
        self.objects = {}
        self.asked = []
        #: the request ids and trace contexts of all requests
        self.request_ids, self.traces = set(), set()
        self.faults = []
        self.lost = []
        self.state = {}
        self.account_key, self.account_labels = None, {}
        #: polls until an object is ready or deleted
        self.rows = COLLECTIONS
        self.looks = 1
        self.page = 1000
        self.extensions = EXTENSIONS
        #: the newest microversion of services that lack the newest; service -> version
        self.newest = {}
        #: collections whose objects become failed
        self.sick = set()
        self._guard = threading.RLock()

    # -- set up by tests

    def fail(self, method, path, status, times=1, message='it went wrong', seconds=0, **headers):
        """Answer the next ``times`` requests of this method and path with ``status``, 0 for what
        they do, after ``seconds``, which may be an Event.
        """
        self.faults.append([method, re.compile(path), times, status, message, seconds, headers])

    def lose(self, method, path):
        """Perform the next request of this method and path, and lose its response."""
        self.lost.append((method, re.compile(path)))

    def put(self, service, path, **values):
        """Store an object without a request; return its id."""
        row = next(each for each in COLLECTIONS if (each.service, each.path) == (service, path))
        made = {
            **{name: None for name in row.known},
            **row.adds,
            row.id: str(uuid.uuid4()),
            **values,
        }
        made.setdefault('id', made[row.id])
        if row.ready:
            made.setdefault(row.state, row.ready)
        if row.ref:
            made[row.ref] = f'http://cloud{PREFIXES[service]}{path}/{made["id"]}'
        self.objects[service, path, made[row.id]] = made
        return made[row.id]

    def create(self, service, path, body):
        row = next(each for each in COLLECTIONS if (each.service, each.path) == (service, path))
        return self._create(row, path, 'POST', body)

    def of(self, service, path):
        return [
            each
            for (owner, where, _), each in self.objects.items()
            if (owner, where) == (service, path)
        ]

    # -- WSGI

    def __call__(self, environ, start_response):
        method, path = environ['REQUEST_METHOD'], environ['PATH_INFO']
        text = environ['wsgi.input'].read(int(environ.get('CONTENT_LENGTH') or 0))
        query = {
            name: values[0] for name, values in parse_qs(environ.get('QUERY_STRING', '')).items()
        }
        self.request_ids.add(environ.get('HTTP_X_OPENSTACK_REQUEST_ID'))
        self.traces.add(environ.get('HTTP_TRACEPARENT'))
        headers = {}
        try:
            self._inject_fault(method, path)
            if not self.accepts(environ.get('HTTP_X_AUTH_TOKEN', '')):
                raise Refused(401, 'The request you have made requires authentication.')
            body = _parsed(text, environ)
            with self._guard:
                self.asked.append((method, path, body))
                status, answer = self._answer(method, path, body, query, environ, headers)
                self._lose_response(method, path)
        except Refused as error:
            status, answer = error.status, {'error': {'message': str(error), 'code': error.status}}
            headers = error.headers
        content = (
            b''
            if answer is None or method == 'HEAD'
            else answer
            if isinstance(answer, bytes)
            else json.dumps(answer).encode()
        )
        headers = {
            'Content-Type': 'application/json',
            'x-openstack-request-id': f'req-{uuid.uuid4()}',
            **headers,
        }
        start_response(
            f'{status} {REASONS[status]}', [*headers.items(), ('Content-Length', str(len(content)))]
        )
        return [content]

    def _inject_fault(self, method, path):
        for fault in self.faults:
            wanted, pattern, times, status, message, seconds, headers = fault
            if times and wanted == method and pattern.search(path):
                fault[2] -= 1
                self.asked.append((method, path, status))
                if isinstance(seconds, threading.Event):
                    assert seconds.wait(timeouts.WAIT_SECONDS)
                else:
                    time.sleep(seconds)
                if status:
                    raise Refused(
                        status,
                        message,
                        {name.replace('_', '-'): str(value) for name, value in headers.items()},
                    )

    def _lose_response(self, method, path):
        for loss in self.lost:
            if loss[0] == method and loss[1].search(path):
                self.lost.remove(loss)
                raise Refused(504, 'The gateway lost the response')

    def _answer(self, method, path, body, query, environ, headers):
        service, below = next(
            (
                (name, path[len(start) :])
                for name, start in PREFIXES.items()
                if path.startswith(start)
            ),
            (None, path),
        )
        below = ACCOUNT.sub('', below)
        if service in self.newest:
            self._check_microversion(service, environ)
            if below in ('', '/'):
                return 200, {'version': {'version': self.newest[service]}}
        if below == '/extensions':
            return 200, {'extensions': [{'alias': each, 'name': each} for each in self.extensions]}
        verb = cloud_actions.find(service, method, below)
        if verb is not None:
            return verb(self, service, body=body, query=query, environ=environ, headers=headers)
        for row in COLLECTIONS:
            found = row.service == service and row.pattern.fullmatch(below)
            if found:
                return self._collection(row, method, below, found.groupdict(), body, query)
        raise Refused(404, f'There is nothing at {path}')

    def _check_microversion(self, service, environ):
        """Raise Refused when the request's microversion is newer than the service's."""
        asked = environ.get('HTTP_OPENSTACK_API_VERSION', '').rpartition(' ')[2]
        if asked and tuple(map(int, asked.split('.'))) > tuple(
            map(int, self.newest[service].split('.'))
        ):
            raise Refused(
                406,
                f'Version {asked} is not supported by the API. Maximum is {self.newest[service]}.',
            )

    def _collection(self, row, method, below, names, body, query):
        one = names.pop('object_id', None)
        for name, value in names.items():
            self._refer(f'{name}_id', value)
        where = row.path.format_map(names)
        if below.endswith('/detail'):
            self._advance(row, where)
        if below.endswith('/detail') or one is None:
            return (
                self._list(row, where, query)
                if method == 'GET'
                else self._create(row, where, method, body)
            )
        found = self.objects.get((row.service, where, one))
        if row.named and method == 'PUT':
            return self._create(row, where, method, body, one)
        if found is None:
            raise Refused(404, f'{row.key or row.keys} {one} could not be found.')
        if method == 'GET':
            return self._show(row, where, one, found)
        if method == 'DELETE':
            return self._delete(row, where, one, found)
        if method != row.update:
            raise Refused(405, f'{method} is not allowed for {below}')
        return self._update(row, where, found, body)

    # -- collections

    def _advance(self, row, where):
        """Advance all objects of the collection by one poll."""
        for one, found in [
            (one, each)
            for (owner, path, one), each in self.objects.items()
            if (owner, path) == (row.service, where)
        ]:
            with contextlib.suppress(Refused):
                self._show(row, where, one, found)

    def _list(self, row, where, query):
        found = [
            each
            for (owner, path, _), each in self.objects.items()
            if (owner, path) == (row.service, where) and not each.get('foreign')
        ]
        for name, value in query.items():
            if name not in ('limit', 'marker', 'fields', 'is_public', 'all_tenants'):
                found = [each for each in found if str(each.get(name)) == value]
        start = int(query.get('marker') or 0)
        shown = [self._shown(row, each) for each in found[start : start + self.page]]
        answer = {row.keys: [{row.key: each} for each in shown] if row.wrapped else shown}
        if len(found) > start + self.page:
            version = '/v2' if row.service == 'image' else ''  # as Glance has it there
            link = {'rel': 'next', 'href': f'{version}{where}?marker={start + self.page}'}
            answer[f'{row.keys}_links'] = [link]
        return 200, answer

    def _create(self, row, where, method, body, name=None):
        values = self._body(row, body) or {}
        unknown = values.keys() - row.known
        if unknown and not row.open:
            raise Refused(400, f"Unrecognized attribute(s) '{', '.join(sorted(unknown))}'")
        missing = {name for name in row.needed if values.get(name) is None}
        if missing:
            raise Refused(
                400,
                'Failed to parse request. Required attribute(s) '
                f'{", ".join(sorted(missing))} not specified',
            )
        self._refer_all(row, values)
        made = {**{name: None for name in row.known}, **json.loads(json.dumps(row.adds)), **values}
        given = values.get(row.id) if row.given_id else name
        made[row.id] = given or str(uuid.uuid4())
        made.setdefault('id', made[row.id])
        if row.ref:
            made[row.ref] = f'http://cloud{PREFIXES[row.service]}{where}/{made["id"]}'
        if 'tenant_id' in made:
            made['tenant_id'] = made['tenant_id'] or identity.ident(PROJECT)
        if row.slow:
            made.update({row.state: row.slow, 'looks': self.looks})
        self._refuse_duplicates(row, where, made)
        self.objects[row.service, where, made[row.id]] = made
        cloud_actions.after_create(self, row.service, where, made)
        return 201, self._wrapped(row, made)

    def _update(self, row, where, found, body):
        values = self._body(row, body)
        wrong = {
            name for name in values if name in row.fixed or name not in row.known and not row.open
        }
        if wrong:
            raise Refused(400, f'Cannot update read-only attribute {", ".join(sorted(wrong))}')
        self._refer_all(row, values)
        found.update(values)
        cloud_actions.after_update(self, row.service, where, found, values)
        return 200, self._wrapped(row, found)

    def _show(self, row, where, one, found):
        if found.get('looks', 0) > 0:
            found['looks'] -= 1
        elif found.get('dying'):
            del self.objects[row.service, where, one]
            cloud_actions.after_delete(self, row.service, where, one)
            raise Refused(404, f'{row.key} {one} could not be found.')
        elif row.slow and found.get(row.state) == row.slow:
            found[row.state] = 'ERROR' if where in self.sick else row.ready
        return 200, self._wrapped(row, found)

    def _delete(self, row, where, one, found):
        users = self._users(row, one)
        if users:
            raise Refused(409, f'{row.key} {one} is in use by {", ".join(users)}.')
        if row.dies:
            found.update({row.state: row.dies, 'looks': self.looks, 'dying': True})
            return 202, None
        del self.objects[row.service, where, one]
        cloud_actions.after_delete(self, row.service, where, one)
        return 204, None

    # -- rules

    @staticmethod
    def _body(row, body):
        if row.key is None:
            return body
        if not isinstance(body, dict) or row.key not in body or len(body) > 1 and not row.open:
            raise Refused(400, f"Resource body required: '{row.key}'")
        return body[row.key]

    def _refer_all(self, row, values):
        for name, value in values.items():
            if REFERENCE.match(name) and name != row.id:
                self._refer(name, value)

    def _refer(self, name, value):
        if value not in NOBODY and not any(one == value for _, _, one in self.objects):
            raise Refused(404, f'{name} {value} could not be found.')

    def _refuse_duplicates(self, row, where, made):
        if (row.service, where, made[row.id]) in self.objects:
            raise Refused(409, f'{row.key} {made[row.id]} already exists.')

    def _users(self, row, one):
        """Return the objects that refer to a network object; they block its delete, as in
        Neutron.
        """
        if row.service != 'network':
            return []
        cascades = ('/security-group-rules',)
        inside = [
            where
            for (owner, where, _) in self.objects
            if owner == row.service and f'/{one}/' in where
        ]
        referring = [
            where
            for (owner, where, other), each in self.objects.items()
            if owner == row.service
            and other != one
            and where not in cascades
            and any(REFERENCE.match(k) and v == one for k, v in each.items())
        ]
        interfaces = [key for key in self.state.get('interfaces', ()) if one in key]
        return sorted({*inside, *referring, *map(str, interfaces)})

    def _shown(self, row, found):
        more = cloud_actions.rules_of(self, found['id']) if row.path == '/security-groups' else {}
        if row.service == 'database' and row.key == 'instance':
            more = {'flavor': {'id': found['flavorRef']}}
        return more | {
            name: value
            for name, value in found.items()
            if name != 'looks' and name not in row.secret
        }

    def _wrapped(self, row, found):
        shown = self._shown(row, found)
        return shown if row.key is None else {row.key: shown}


def _parsed(text, environ):
    """Return the body of a request: parsed JSON, or text."""
    if environ.get('CONTENT_TYPE', '').startswith('text/plain'):
        return text.decode()
    return json.loads(text) if text else None


@dataclasses.dataclass
class RunningCloud:
    """A running fake cloud: its services, the URL of its Keystone, a token and its project."""

    cloud: Cloud
    auth_url: str
    token: str
    project_id: str
    identity: identity.Identity

    def configuration(self):
        groups = {
            'DEFAULT': (
                f'stack_user_domain_name = {stack_domain.DOMAIN["name"]}\n'
                f'stack_domain_admin = {stack_domain.ADMIN}\n'
                f'stack_domain_admin_password = {stack_domain.PASSWORD}'
            ),
            'clients_keystone': f'auth_uri = {self.auth_url}',
            'resource_finder_cache': 'caching = false',
            'service_extension_cache': 'caching = false',
        }
        return ''.join(f'[{name}]\n{text}\n' for name, text in groups.items())


@contextlib.contextmanager
def running():
    """Run a fake cloud on free ports and yield its RunningCloud."""
    made = Cloud()
    with identity.serve(made) as url:
        services = {service: f'{url}{prefix}' for service, prefix in PREFIXES.items()}
        services |= {'orchestration': f'{url}/heat/%(project_id)s', 'cloudformation': f'{url}/cfn'}
        users = {USER: {'password': 'secret', 'project': PROJECT, 'roles': ['admin', 'member']}}
        keystone = stack_domain.Identity(services, users)
        with identity.serve(keystone) as auth_url:
            _, _, headers = keystone.issue(USER, {'project': {}}, ['password'])
            yield RunningCloud(
                made, auth_url, dict(headers)['X-Subject-Token'], identity.ident(PROJECT), keystone
            )
