"""Actions of the fake cloud's other services, from alarms to signed URLs of objects."""

import hashlib
import hmac
import json
import time
import uuid
from urllib.parse import parse_qs

import yaml

from tests.cloud_actions import Refused, require, route

# --------------------------------------------------------------- alarms


def _checked_rule(body):
    """Return the body; raise Refused unless it has the one rule named after its type."""
    rules = {name for name in body if name.endswith('_rule')}
    if rules != {f'{body.get("type")}_rule'}:
        raise Refused(400, f'{sorted(rules)} are not the rule of {body.get("type")}')
    return body


@route('alarm', 'POST', '/alarms')
def make_alarm(cloud, service, body, **_):
    return cloud.create(service, '/alarms', _checked_rule(body))


@route('alarm', 'GET', '/alarms')
def list_alarms(cloud, service, query, **_):
    return 200, [
        each
        for each in cloud.of(service, '/alarms')
        if each['name'] == query.get('q.value', each['name'])
    ]


@route('alarm', 'PUT', r'/alarms/(?P<one>[^/]+)')
def change_alarm(cloud, service, one, body, **_):
    """Replace the whole alarm; partial updates are refused."""
    found = require(cloud, service, '/alarms', one)
    if not {'name', 'type', 'enabled', 'alarm_id'} <= _checked_rule(body).keys():
        raise Refused(400, 'Mandatory field missing.')
    found.update(body)
    return 200, found


# --------------------------------------------------------------- leases, machines


@route('reservation', 'POST', r'/(?P<where>os-hosts|leases)')
def make_reservation(cloud, service, where, body, **_):
    """Create an object; the request is not wrapped, the response is."""
    return cloud.create(service, f'/{where}', {'host' if where == 'os-hosts' else 'lease': body})


@route('baremetal', 'PATCH', r'(?P<where>/\w+|/volume/\w+)/(?P<one>[^/]+)')
def patch_machine(cloud, service, where, one, body, **_):
    found = require(cloud, service, where, one)
    for step in body:
        found[step['path'][1:]] = step.get('value')
    return 200, found


# --------------------------------------------------------------- workflows


@route('workflow', 'POST', '/workflows')
@route('workflow', 'PUT', '/workflows')
def create_workflow(cloud, service, body, environ, **_):
    """Create a workflow from text in Mistral's language."""
    said = yaml.safe_load(body) if isinstance(body, str) else {}
    if said.pop('version', None) != '2.0' or len(said) != 1:
        raise Refused(400, 'Invalid DSL: it is no workflow of version 2.0')
    ((name, workflow),) = said.items()
    if not workflow.get('tasks') or set(workflow) - {
        'type',
        'tasks',
        'input',
        'output',
        'description',
        'tags',
        'task-defaults',
    }:
        raise Refused(400, 'Invalid DSL: a workflow has tasks, and nothing that is not known')
    new = environ['REQUEST_METHOD'] == 'POST'
    if new == ((service, '/workflows', name) in cloud.objects):
        raise Refused(409 if new else 404, f'Workflow {name}')
    made = cloud.objects.setdefault(
        (service, '/workflows', name), {'id': str(uuid.uuid4()), 'name': name}
    )
    made['definition'] = body
    return 201, {'workflows': [made]}


def _refer(cloud, body):
    wanted = body.get('workflow_name') or body.get('workflow_id')
    for each in cloud.of('workflow', '/workflows'):
        if wanted in (each['name'], each['id']):
            return each
    raise Refused(404, f'Workflow not found [workflow_identifier={wanted}]')


@route('workflow', 'POST', r'(?P<where>/executions|/cron_triggers)')
def start_execution(cloud, service, where, body, **_):
    if present := cloud.objects.get((service, where, body.get('id'))):
        return 201, present  # as Mistral: the id makes a repeated request harmless
    workflow = _refer(cloud, body)
    for name in ('input', 'params', 'workflow_input'):
        json.loads(body.get(name, '{}'))
    kept = {name: value for name, value in body.items() if name != 'workflow_id'}
    status, made = cloud.create(service, where, {**kept, 'workflow_name': workflow['name']})
    key = made['name' if where == '/cron_triggers' else 'id']
    require(cloud, service, where, key)['workflow_id'] = workflow['id']
    return status, made


# --------------------------------------------------------------- messages


def _require_client_id(environ):
    try:
        uuid.UUID(environ.get('HTTP_CLIENT_ID', ''))
    except ValueError:
        raise Refused(400, 'Malformed hexadecimal UUID.') from None


@route('messaging', 'PUT', r'/queues/(?P<one>[^/]+)')
def make_queue(cloud, service, one, body, environ, **_):
    _require_client_id(environ)
    cloud.objects.setdefault(
        (service, '/queues', one), {'id': one, 'name': one, 'metadata': dict(body or {})}
    )
    return 201, None


@route('messaging', 'GET', r'/queues/(?P<one>[^/]+)')
def show_queue(cloud, service, one, **_):
    """Show a queue; a queue that was not created is empty, as in Zaqar."""
    found = cloud.objects.get((service, '/queues', one), {'metadata': {}})
    return 200, {'_max_messages_post_size': 262144, **found.get('metadata', {})}


@route('messaging', 'PATCH', r'/queues/(?P<one>[^/]+)')
def patch_queue(cloud, service, one, body, environ, **_):
    if environ['CONTENT_TYPE'] != 'application/openstack-messaging-v2.0-json-patch':
        raise Refused(400, 'unknown kind of patch')
    metadata = require(cloud, service, '/queues', one)['metadata']
    for step in body:
        name = step['path'].removeprefix('/metadata/')
        if (step['op'] == 'add') == (name in metadata):
            raise Refused(409, f'{name} does not fit to {step["op"]}')
        metadata[name] = step.get('value')
        if step['op'] == 'remove':
            del metadata[name]
    return 200, metadata


@route('messaging', 'DELETE', r'/queues/(?P<one>[^/]+)')
def delete_queue(cloud, service, one, **_):
    for key in [
        key for key in cloud.objects if key[:2] == (service, f'/queues/{one}/subscriptions')
    ]:
        del cloud.objects[key]
    cloud.objects.pop((service, '/queues', one), None)
    cloud.state.pop(('messages', one), None)
    return 204, None


@route('messaging', 'POST', r'/queues/(?P<one>[^/]+)/share')
def share_queue(cloud, service, one, body, **_):
    paths = [f'/v2/queues/{one}/{each}' for each in (body or {}).get('paths') or ['messages']]
    methods = (body or {}).get('methods') or ['GET']
    return 200, {
        'project': 'p',
        'paths': paths,
        'methods': methods,
        'expires': (body or {}).get('expires', 'tomorrow'),
        'signature': 's',
    }


@route('messaging', 'POST', r'/queues/(?P<one>[^/]+)/messages')
def post_messages(cloud, service, one, body, environ, **_):
    _require_client_id(environ)
    cloud.state.setdefault(('messages', one), []).extend(each['body'] for each in body['messages'])
    return 201, {'resources': []}


@route('messaging', 'DELETE', r'/queues/(?P<one>[^/]+)/messages')
def list_messages(cloud, service, one, query, environ, **_):
    _require_client_id(environ)
    waiting, most = cloud.state.get(('messages', one), []), int(query['pop'])
    taken, waiting[:most] = waiting[:most], []
    return 200, {'messages': [{'body': each} for each in taken]}


@route('messaging', 'PATCH', r'/queues/(?P<queue>[^/]+)/subscriptions/(?P<one>[^/]+)')
def change_subscription(cloud, service, queue, one, body, **_):
    """Change a subscription; a subscriber that the queue has already is refused, even the same
    one.
    """
    found = require(cloud, service, f'/queues/{queue}/subscriptions', one)
    if any(
        each['subscriber'] == body.get('subscriber')
        for each in cloud.of(service, f'/queues/{queue}/subscriptions')
    ):
        raise Refused(409, 'Resource conflict')
    found.update(body)
    return 204, None


# --------------------------------------------------------------- databases


@route('database', 'POST', r'/instances/(?P<one>[^/]+)/action')
def act_on_database(cloud, service, one, body, **_):
    instance = require(cloud, service, '/instances', one)
    if instance['status'] != 'ACTIVE':
        raise Refused(422, f'Instance {one} is not ready.')
    instance.update(body['resize'], status='BUILD', looks=cloud.looks)
    return 202, None


@route('database', 'POST', '/clusters')
def make_cluster(cloud, service, body, **_):
    values = body['cluster']
    instances = [
        {
            'id': str(uuid.uuid4()),
            'status': 'ACTIVE',
            'flavor': {'id': each['flavorRef']},
            'volume': each['volume'],
        }
        for each in values['instances']
    ]
    return cloud.create(service, '/clusters', {'cluster': {**values, 'instances': instances}})


@route('database', 'PUT', r'/instances/(?P<one>[^/]+)/users/(?P<name>[^/]+)')
def change_user(cloud, service, one, name, body, **_):
    _user(cloud, one, name).update(body['user'])
    return 202, None


@route('database', 'PUT', r'/instances/(?P<one>[^/]+)/users/(?P<name>[^/]+)/databases')
def grant(cloud, service, one, name, body, **_):
    user = _user(cloud, one, name)
    user['databases'] = [*user['databases'], *body['databases']]
    return 202, None


@route(
    'database',
    'DELETE',
    r'/instances/(?P<one>[^/]+)/users/(?P<name>[^/]+)/databases/(?P<database>[^/]+)',
)
def revoke(cloud, service, one, name, database, **_):
    _user(cloud, one, name)['databases'].remove({'name': database})
    return 202, None


def _user(cloud, one, name):
    found = [
        each
        for each in require(cloud, 'database', '/instances', one)['users']
        if each['name'] == name
    ]
    if not found:
        raise Refused(404, f'User {name} cannot be found on the instance.')
    return found[0]


@route('database', 'GET', r'/instances/(?P<one>[^/]+)/(?P<what>databases|users)')
def list_children(cloud, service, one, what, **_):
    return 200, {what: require(cloud, service, '/instances', one)[what] or []}


@route('database', 'POST', r'/instances/(?P<one>[^/]+)/(?P<what>databases|users)')
def create_children(cloud, service, one, what, body, **_):
    found = require(cloud, service, '/instances', one)
    if {each['name'] for each in found[what]} & {each['name'] for each in body[what]}:
        raise Refused(409, f'{what} are there already')
    found[what] = [*found[what], *body[what]]
    return 202, None


@route('database', 'DELETE', r'/instances/(?P<one>[^/]+)/(?P<what>databases|users)/(?P<name>[^/]+)')
def delete_child(cloud, service, one, what, name, **_):
    found = require(cloud, service, '/instances', one)
    kept = [each for each in found[what] if each['name'] != name]
    if len(kept) == len(found[what]):
        raise Refused(404, f'{name} could not be found.')
    found[what] = kept
    return 202, None


# --------------------------------------------------------------- containers


@route('container', 'POST', r'/containers/(?P<one>[^/]+)/network_(?P<what>attach|detach)')
def connect(cloud, service, one, what, query, **_):
    found = require(cloud, service, '/containers', one)
    named = {name: query[name] for name in ('network', 'port') if name in query}
    present = [each for each in found['nets'] or [] if named.items() <= each.items()]
    if not named or bool(present) == (what == 'attach'):
        raise Refused(400, f'{named} cannot be {what}ed')
    found['nets'] = (
        [each for each in found['nets'] if each not in present]
        if present
        else [*(found['nets'] or []), dict(query)]
    )
    return 202, None


# --------------------------------------------------------------- objects


KEY = 'HTTP_X_ACCOUNT_META_TEMP_URL_KEY'


@route('object-store', 'HEAD', '/?')
def head_account(cloud, service, headers, **_):
    if cloud.account_key:
        headers['X-Account-Meta-Temp-Url-Key'] = cloud.account_key
    for name, value in cloud.account_labels.items():
        headers[name.removeprefix('HTTP_').replace('_', '-').title()] = value
    headers['X-Account-Object-Count'] = '1'
    return 204, None


@route('object-store', 'HEAD', r'/(?P<one>[^/]+)/(?P<name>.+)')
def head_object(cloud, service, one, name, headers, **_):
    """Answer with the headers of an object."""
    held = require(cloud, service, '/', one)['objects']
    if name not in held:
        raise Refused(404, 'The resource could not be found.')
    content = held[name].encode()
    headers['Etag'] = hashlib.md5(content).hexdigest()
    headers['Last-Modified'] = 'Mon, 30 Nov 2026 00:00:00 GMT'
    headers.update(require(cloud, service, '/', one).get('headers', {}).get(name, {}))
    return 204, None


@route('object-store', 'PUT', r'/(?P<one>[^/]+)/(?P<name>.+)')
def put_object(cloud, service, one, name, body, environ, **_):
    """Store an object; a versioned container keeps the previous version."""
    if 'HTTP_X_AUTH_TOKEN' not in environ:
        _check_signature(cloud, environ)
    container = require(cloud, service, '/', one)
    held, versions = container['objects'], container.get('HTTP_X_VERSIONS_LOCATION')
    if versions and name in held:
        require(cloud, service, '/', versions)['objects'][
            f'{len(name):03x}{name}/{container["stamps"][name]}'
        ] = held[name]
    container.setdefault('stamps', {})[name] = f'{time.time_ns() / 1e9:.9f}'
    held[name] = body if isinstance(body, str) else json.dumps(body) if body is not None else ''
    labels = {
        key.removeprefix('HTTP_').replace('_', '-'): value
        for key, value in environ.items()
        if key.startswith(('HTTP_X_OBJECT_META_', 'HTTP_CONTENT_', 'HTTP_X_DELETE_AT'))
    }
    labels['Content-Type'] = environ.get('CONTENT_TYPE', 'text/plain')
    container.setdefault('headers', {})[name] = labels
    return 201, None


def _check_signature(cloud, environ):
    said = {name: values[0] for name, values in parse_qs(environ['QUERY_STRING']).items()}
    text = f'{environ["REQUEST_METHOD"]}\n{said["temp_url_expires"]}\n{environ["PATH_INFO"]}'
    wanted = hmac.new(
        cloud.account_key.encode(), text.encode('latin-1'), hashlib.sha256
    ).hexdigest()
    if said['temp_url_sig'] != wanted or int(said['temp_url_expires']) < time.time():
        raise Refused(401, 'Temp URL invalid')


@route('object-store', 'GET', r'/(?P<one>[^/]+)/(?P<name>.+)')
def get_object(cloud, service, one, name, headers, **_):
    container = require(cloud, service, '/', one)
    held = container['objects']
    if name not in held:
        raise Refused(404, 'The resource could not be found.')
    headers['X-Timestamp'] = container.get('stamps', {}).get(name, '9')  # the newest version
    return 200, held[name] if isinstance(held[name], bytes) else held[name].encode()


# --------------------------------------------------------------- resource providers


@route('placement', 'GET', r'/resource_providers/(?P<one>[^/]+)/(?P<what>traits|aggregates)')
def show_part(cloud, service, one, what, **_):
    found = require(cloud, service, '/resource_providers', one)
    generation = found['generation']
    return 200, {
        what: found.get(what) or [],
        'resource_provider_generation': generation,
    }


@route('placement', 'PUT', r'/resource_providers/(?P<one>[^/]+)/(?P<what>traits|aggregates)')
def set_part(cloud, service, one, what, body, **_):
    found = require(cloud, service, '/resource_providers', one)
    if body['resource_provider_generation'] != found['generation']:
        raise Refused(409, 'resource provider generation conflict')
    found.update({what: body[what], 'generation': found['generation'] + 1})
    return 200, body


@route('baremetal', 'PUT', r'(?P<where>/nodes|/runbooks)/(?P<one>[^/]+)/traits')
def set_bare_metal_traits(cloud, service, where, one, body, **_):
    require(cloud, service, where, one)['traits'] = body['traits']
    return 204, None


# --------------------------------------------------------------- settings and attachments


@route('key-manager', 'PUT', r'/(?P<where>secrets|containers)/(?P<one>[^/]+)/acl')
def set_acl(cloud, service, where, one, body, **_):
    """Replace an ACL. Barbican does not show an empty list of users."""
    found = require(cloud, service, f'/{where}', one)
    read = {'project-access': True, **body['read']}
    cloud.state['acl', one] = {name: value for name, value in read.items() if value != []}
    return 200, {'acl_ref': f'{found[where[:-1] + "_ref"]}/acl'}


@route('key-manager', 'GET', r'/(?P<where>secrets|containers)/(?P<one>[^/]+)/acl')
def show_acl(cloud, service, where, one, **_):
    require(cloud, service, f'/{where}', one)
    return 200, {'read': cloud.state.get(('acl', one), {'project-access': True})}


@route('key-manager', 'DELETE', r'/(?P<where>secrets|containers)/(?P<one>[^/]+)/acl')
def delete_acl(cloud, service, where, one, **_):
    cloud.state.pop(('acl', one), None)
    require(cloud, service, f'/{where}', one)
    return 200, None


@route('block-storage', 'PUT', r'/default-types/(?P<project>[^/]+)')
def set_default_type(cloud, service, project, body, **_):
    require(cloud, 'identity', '/projects', project)
    require(cloud, service, '/types', body['default_type']['volume_type'])
    cloud.state['default type', project] = body['default_type']['volume_type']
    return show_default_type(cloud, service, project)


@route('block-storage', 'GET', r'/default-types/(?P<project>[^/]+)')
def show_default_type(cloud, service, project, **_):
    if ('default type', project) not in cloud.state:
        raise Refused(404, f'Default type for project {project} not found.')
    kind = cloud.state['default type', project]
    return 200, {'default_type': {'project_id': project, 'volume_type_id': kind}}


@route('block-storage', 'DELETE', r'/default-types/(?P<project>[^/]+)')
def delete_default_type(cloud, service, project, **_):
    cloud.state.pop(('default type', project), None)
    return 204, None


@route('block-storage', 'POST', '/attachments')
def attach_to_host(cloud, service, body, **_):
    asked = body['attachment']
    volume = require(cloud, service, '/volumes', asked['volume_uuid'])
    if volume['status'] != 'available':
        raise Refused(400, f'Invalid volume: it is {volume["status"]}')
    status, answer = cloud.create(service, '/attachments', body)
    made = cloud.objects[service, '/attachments', answer['attachment']['id']]
    made['volume_id'] = volume['id']
    host = (asked.get('connector') or {}).get('host')
    row = {'attachment_id': made['id'], 'host_name': host, 'server_id': None}
    volume.update(status='attaching', attachments=[row])
    return 200, {'attachment': made}


@route('block-storage', 'POST', r'/attachments/(?P<one>[^/]+)/action')
def complete_attachment(cloud, service, one, body, **_):
    found = require(cloud, service, '/attachments', one)
    assert 'os-complete' in body
    found['status'] = 'attached'
    require(cloud, service, '/volumes', found['volume_id'])['status'] = 'in-use'
    return 204, None


@route('block-storage', 'DELETE', r'/attachments/(?P<one>[^/]+)')
def detach_from_host(cloud, service, one, **_):
    found = require(cloud, service, '/attachments', one)
    volume = cloud.objects.get((service, '/volumes', found['volume_id']), {})
    volume.update(status='available', attachments=[])
    del cloud.objects[service, '/attachments', one]
    return 200, {'attachments': []}


@route('compute', 'POST', r'/servers/(?P<server>[^/]+)/shares')
def attach_share(cloud, service, server, body, **_):
    share = body['share']['share_id']
    _require_stopped(cloud, service, server, 'create share')
    require(cloud, 'shared-file-system', '/shares', share)
    row = next(each for each in cloud.rows if each.path == '/servers/{server}/shares')
    return cloud._create(
        row, f'/servers/{server}/shares', 'POST', {'share': {'tag': share, **body['share']}}
    )


@route('compute', 'DELETE', r'/servers/(?P<server>[^/]+)/shares/(?P<share>[^/]+)')
def detach_share(cloud, service, server, share, **_):
    _require_stopped(cloud, service, server, 'delete share')
    found = require(cloud, service, f'/servers/{server}/shares', share)
    if not cloud.state.get('stuck shares'):  # else Nova could not reach Manila
        found.update(status='detaching', looks=cloud.looks, dying=True)
    return 200, None


def _require_stopped(cloud, service, server, action):
    if require(cloud, service, '/servers', server)['status'] != 'SHUTOFF':
        raise Refused(409, f"Cannot '{action}' instance {server} while it is in vm_state active")


@route('shared-file-system', 'PUT', r'/types/(?P<one>[^/]+)')
def change_share_type(cloud, service, one, body, environ, **_):
    """Change a type, where the version of the request can: older ones know no such path."""
    found = require(cloud, service, '/types', one)
    if environ['HTTP_X_OPENSTACK_MANILA_API_VERSION'] != '2.50':
        raise Refused(404, 'The resource could not be found.')
    row = next(each for each in cloud.rows if each.key == 'share_type')
    return cloud._update(row, '/types', found, body)


@route('shared-file-system', 'POST', r'/share-networks/(?P<one>[^/]+)/subnets')
def add_subnet(cloud, service, one, body, environ, **_):
    require(cloud, service, '/share-networks', one)
    assert environ['HTTP_X_OPENSTACK_MANILA_API_VERSION'] == '2.51'
    row = next(each for each in cloud.rows if each.key == 'share_network_subnet')
    values = {'share_network_subnet': body['share-network-subnet']}
    return cloud._create(row, f'/share-networks/{one}/subnets', 'POST', values)


@route('accelerator', 'POST', '/device_profiles')
def make_device_profile(cloud, service, body, **_):
    """Create a profile: the request is a list of one, the response not wrapped."""
    (values,) = body
    _, answer = cloud.create(service, '/device_profiles', {'device_profile': values})
    return 201, answer['device_profile']
