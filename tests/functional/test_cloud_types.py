"""The life cycle of each cloud resource type: a whole engine against a fake cloud over HTTP."""

import copy
import hashlib
import json
import re
import uuid

import pytest
import requests

from heat_lite import resources
from heat_lite.common import exception
from heat_lite.resources.base.cloud import CloudResource, ServiceResource
from heat_lite.resources.containers.engine_object import EngineObject
from tests import cloud, identity, samples
from tests.functional.clouds import driver, ids, request_context, running_cloud  # noqa: F401

REGISTRY = resources.build_registry()
TYPES = [
    name
    for name in REGISTRY.names()
    if issubclass(REGISTRY.get(name), ServiceResource)
    and not issubclass(REGISTRY.get(name), EngineObject)  # see test_containers
]


def one_resource(type_name, values):
    """A template with one resource and an output for each of its attributes."""
    outputs = {
        name: {'value': {'get_attr': ['it', name]}}
        for name in REGISTRY.get(type_name).all_attributes_schema()
    }
    return {'resources': {'it': {'type': type_name, 'properties': values}}, 'outputs': outputs}


@pytest.mark.parametrize('name', TYPES)
def test_resource_type_life_cycle_restores_cloud(name, running_cloud, driver, ids):  # noqa: F811
    kind, fake = REGISTRY.get(name), running_cloud.cloud
    before = contents(fake)
    template = one_resource(name, samples.properties(kind, ids))
    stack = driver.create(template, name=name.rpartition(':')[2])
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']

    require_no_drift(driver, stack, name)
    outputs, physical_id = driver.outputs(stack), driver.physical_id(stack, 'it')
    require_import(driver, kind, known_id(driver, fake, stack, template))
    has_show = issubclass(kind, CloudResource) and not name.startswith('AWS::')
    assert {key for key, value in outputs.items() if value is None} <= NULL_ATTRIBUTES.get(
        name, set() if has_show else {'show'}
    )
    assert outputs['show'] or not has_show

    if any(schema.update_allowed for schema in kind.properties_schema.values()):
        template = one_resource(name, samples.properties(kind, ids, update=True))
        driver.update(stack, template)
        assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
        if name not in RENAMED_BY_UPDATE:
            assert driver.physical_id(stack, 'it') == physical_id, 'the resource was replaced'
        require_no_drift(driver, stack, name)

    driver.client.stack_check(driver.context, stack_identity=stack)
    driver.wait(stack)
    assert driver.state(stack) == 'CHECK_COMPLETE', driver.stack(stack)['stack_status_reason']

    if name not in NOT_IMPORTED:
        stack = imported(driver, stack, template, known_id(driver, fake, stack, template))
        require_no_drift(driver, stack, name)
    driver.delete(stack)
    assert name in LASTING or contents(fake) == before


def require_import(driver, kind, physical_id):  # noqa: F811
    """Ask for the properties of an object by its id alone."""
    if kind.resource_type.startswith('AWS::'):
        return
    if kind.resource_type == 'OS::Glance::ImageAcceptance':  # all have the id of the project
        with pytest.raises(exception.StackValidationFailed, match='Property image not assigned'):
            observed(driver, kind.resource_type, physical_id)
        return
    found = observed(driver, kind.resource_type, physical_id)
    required = {name for name, schema in kind.properties_schema.items() if schema.required}
    missing = required - (found.get('live_properties') or {}).keys()
    assert missing == UNTOLD.get(kind.resource_type, set()), found
    assert ('live_error' in found) == (kind.resource_type in UNREADABLE), found


#: ids by which import knows objects whose resources have ids of their own
IMPORT_IDS = {
    'OS::Cinder::QoSAssociation': lambda fake, _: fake.of('block-storage', '/qos-specs')[0]['id'],
    'OS::Nova::FloatingIPAssociation': lambda _, values: values['floating_ip'],
}
#: required properties that the service does not show
UNTOLD = {
    'OS::Cinder::HostAttachment': {'connector'},
    'OS::Cinder::VolumeTransferAccept': {'auth_key', 'transfer'},
    'OS::Glance::VolumeImage': {'volume'},
    'OS::Glance::WebImage': {'location'},
    'OS::Heat::SwiftSignal': {'handle', 'timeout'},
    'OS::Mistral::ExternalResource': {'actions'},
    'OS::Swift::TempURL': {'container', 'object'},
    'OS::Zaqar::SignedQueueURL': {'queue'},
}
#: types without an object that an id leads to: docs/cli.md has the reasons
UNREADABLE = {
    'OS::Cinder::VolumeTransferAccept',
    'OS::Heat::SwiftSignal',
    'OS::Heat::SwiftSignalHandle',
    'OS::HeatLite::Lookup',
    'OS::Mistral::ExternalResource',
    'OS::Swift::TempURL',
    'OS::Zaqar::SignedQueueURL',
}
#: types that a template cannot import, or of which only their first stack knows further objects
NOT_IMPORTED = {*UNREADABLE, 'AWS::EC2::VPC', 'OS::Nova::Server'}


def known_id(driver, fake, stack, template):  # noqa: F811
    """Return the id by which import knows the object of a stack."""
    it = template['resources']['it']
    find = IMPORT_IDS.get(it['type'])
    return find(fake, it['properties']) if find else driver.physical_id(stack, 'it')


def imported(driver, stack, template, known):  # noqa: F811
    """Forget a stack, and import its object into another one. Return that."""
    driver.client.abandon_stack(driver.context, stack_identity=stack)
    driver.wait(stack)
    it = {**template['resources']['it'], 'import': {'id': known}}
    version = {'heat_template_version': 'heat_lite_2026-12-01'}
    stack = driver.create({**version, **template, 'resources': {'it': it}}, name='imported')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    states = [state for name, state, *_ in driver.events(stack) if name == 'it']
    assert states == ['ADOPT_IN_PROGRESS', 'ADOPT_COMPLETE'], 'the import has changed the object'
    return stack


def require_no_drift(driver, stack, name):  # noqa: F811
    found = driver.client.stack_drift(driver.context, stack_identity=stack)
    assert [each['properties'] for each in found['resources']] == []
    assert bool(found['unchecked']) == (name in NOT_COMPARED), found
    assert all('cannot be compared' not in each['reason'] for each in found['unchecked']), found


#: types whose objects cannot be compared with what was asked for
NOT_COMPARED = {
    'OS::Cinder::VolumeTransferAccept',
    'OS::Heat::SwiftSignalHandle',
    'OS::Mistral::ExternalResource',
    'OS::Swift::TempURL',
    'OS::Zaqar::SignedQueueURL',
}
#: types whose delete does not undo what the create has done
LASTING = {'OS::Cinder::VolumeTransferAccept'}


#: the collection of accepted transfers, of which Designate deletes none
ACCEPTED = '/zones/tasks/transfer_accepts'
#: keys by which the fake cloud notes what takes time
FLEETING = ('looks', 'told', 'low_priority')


def contents(fake):
    """A copy of all objects of a cloud, without their empty values."""
    objects = {
        key: {name: value for name, value in each.items() if value and name not in FLEETING}
        for key, each in fake.objects.items()
        if key[1] != ACCEPTED
    }
    return copy.deepcopy((objects, {key: value for key, value in fake.state.items() if value}))


#: resource type -> attributes without a value in the fake cloud
NULL_ATTRIBUTES = {
    'OS::Barbican::Order': {
        'certificate',
        'container_ref',
        'intermediates',
        'private_key',
        'public_key',
    },
    'OS::Cinder::Volume': {'multiattach', 'snapshot_id', 'source_volid'},
    'OS::Keystone::User': {'password_expires_at'},
    'OS::Neutron::FirewallRule': {'firewall_policy_id', 'position', 'protocol'},
    'OS::Neutron::FloatingIP': {'router_id'},
}
#: types whose physical id is the id of the object that they associate
RENAMED_BY_UPDATE = {'AWS::EC2::EIPAssociation', 'OS::Neutron::FloatingIPAssociation'}


def test_preview_of_a_create_has_no_references_that_are_ids(running_cloud, driver, ids):  # noqa: F811
    mixed = {
        'template': 'x-N-R',
        'params': {'N': {'get_resource': 'n'}, 'R': {'get_resource': 'r'}},
    }
    values = {'a': {'get_resource': 'n'}, 'b': {'str_replace': mixed}}
    template = {
        'heat_template_version': '2021-04-16',
        'resources': {
            'n': {'type': 'OS::Neutron::Net'},
            'r': {'type': 'OS::Heat::RandomString'},
            **{
                name: {'type': 'OS::Heat::Value', 'properties': {'value': value}}
                for name, value in values.items()
            },
        },
    }
    answer = driver.client.preview_stack(
        driver.context, stack_name='n', template=template, params={}, files={}, args={}
    )
    found = {each['resource_name']: each['properties'] for each in answer['resources']}
    assert (found['a']['value'], found['b']['value']) == (None, 'x--r')


def test_record_set_without_a_trailing_dot_is_in_its_zone(running_cloud, driver, ids):  # noqa: F811
    zone = {'type': 'OS::Designate::Zone', 'properties': {'name': 'a.example.', 'email': 'a@b.cd'}}
    record = {'zone': {'get_resource': 'zone'}, 'type': 'A', 'records': ['192.0.2.1']}
    template = {
        'resources': {
            'zone': zone,
            'www': {'type': 'OS::Designate::RecordSet', 'properties': {**record, 'name': 'www'}},
        },
        'outputs': {'name': {'value': {'get_attr': ['www', 'show', 'name']}}},
    }
    stack = driver.create(template, name='records')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert driver.outputs(stack) == {'name': 'www.a.example.'}
    driver.delete(stack)


def test_floating_ip_of_nova_without_pool_is_in_the_only_external_network(
    running_cloud,  # noqa: F811
    driver,  # noqa: F811
    ids,  # noqa: F811
):
    outputs = {
        'ref': {'value': {'get_resource': 'ip'}},
        **{name: {'value': {'get_attr': ['ip', name]}} for name in ('ip', 'pool', 'show')},
    }
    template = {'resources': {'ip': {'type': 'OS::Nova::FloatingIP'}}, 'outputs': outputs}
    stack = driver.create(template, name='address')
    (made,) = [
        each
        for each in running_cloud.cloud.of('network', '/floatingips')
        if each['id'] == driver.physical_id(stack, 'ip')
    ]
    assert driver.outputs(stack) == {
        'ref': made['id'],
        'ip': made['floating_ip_address'],
        'pool': made['floating_network_id'],
        'show': None,
    }
    driver.delete(stack)
    assert made not in running_cloud.cloud.of('network', '/floatingips')

    running_cloud.cloud.put('network', '/networks', **{'router:external': True})
    stack = driver.create(template, name='ambiguous')
    assert driver.stack(stack)['stack_status_reason'] == (
        'Resource CREATE failed: Error: resources.ip: Expected 1 external network, found 2'
    )
    driver.delete(stack)


def test_association_of_nova_ends_and_begins_with_its_floating_ip(running_cloud, driver, ids):  # noqa: F811
    def ports():
        listed = running_cloud.cloud.of('network', '/floatingips')
        found = {each['id']: each.get('port_id') for each in listed}
        return [bool(found[ids[name]]) for name in ('floatingip', 'other_floatingip')]

    def template(address):
        values = {'server_id': ids['server_with_port'], 'floating_ip': ids[address]}
        tie = {'type': 'OS::Nova::FloatingIPAssociation', 'properties': values}
        return {'resources': {'tie': tie}, 'outputs': {'ref': {'value': {'get_resource': 'tie'}}}}

    stack = driver.create(template('floatingip'), name='tied')
    assert ports() == [True, False]
    assert driver.outputs(stack)['ref'].startswith('tied-tie-')
    driver.update(stack, template('other_floatingip'))
    assert ports() == [False, True]
    driver.delete(stack)
    assert ports() == [False, False]


def test_group_of_a_missing_instance_is_refused_with_its_name(running_cloud, driver, ids):  # noqa: F811
    group = {
        'type': 'AWS::AutoScaling::AutoScalingGroup',
        'properties': {'MinSize': 1, 'MaxSize': 1, 'InstanceId': '7', 'AvailabilityZones': ['a']},
    }
    with pytest.raises(
        exception.StackValidationFailed, match=r'The Server \(7\) could not be found'
    ):
        driver.create({'resources': {'it': group}}, name='group')


def test_container_is_in_the_account_of_its_stack_for_a_reader_of_another_project(
    running_cloud,  # noqa: F811
    driver,  # noqa: F811
    ids,  # noqa: F811
    monkeypatch,
):
    service = running_cloud.identity
    url = f'{service.services["object-store"]}/AUTH_%(project_id)s'
    monkeypatch.setitem(service.services, 'object-store', url)
    operator = {'password': 'x', 'project': 'operators', 'roles': ['admin']}
    monkeypatch.setitem(service.users, 'operator', operator)

    def context_of(user, project):
        token = dict(service.issue(user, {'project': {}}, ['password'])[2])['X-Subject-Token']
        return request_context(running_cloud, project_id=identity.ident(project), auth_token=token)

    driver.context = owner = context_of(cloud.USER, cloud.PROJECT)
    box = {'type': 'OS::Swift::Container', 'properties': {'name': 'box'}}
    stack = driver.create({'resources': {'box': box}})
    running_cloud.cloud.asked.clear()
    shown = driver.client.describe_stack_resource(
        context_of('operator', 'operators'),
        stack_identity=stack,
        resource_name='box',
        with_attr=['WebsiteURL', 'RootURL', 'BytesUsed'],
    )['attributes']
    account = f'/object/v1/AUTH_{owner.project_id}'
    assert shown['WebsiteURL'].endswith(f'{account}/box')
    assert shown['RootURL'].endswith(account)
    asked = {path for method, path, _ in running_cloud.cloud.asked if method == 'HEAD'}
    assert asked == {f'{account}/box'}
    driver.delete(stack)


def test_secret_of_an_application_credential_is_kept_when_the_response_is_lost(
    running_cloud,  # noqa: F811
    driver,  # noqa: F811
    ids,  # noqa: F811
):
    running_cloud.cloud.lose('POST', 'application_credentials$')
    kind = 'OS::Keystone::ApplicationCredential'
    template = {
        'resources': {'it': {'type': kind, 'properties': {'roles': ['member']}}},
        'outputs': {'secret': {'value': {'get_attr': ['it', 'secret']}}},
    }
    stack = driver.create(template, name='login')
    (made,) = (
        each for where, each in running_cloud.cloud.objects.items() if 'credentials' in where[1]
    )
    assert driver.physical_id(stack, 'it') == made['id']
    assert driver.outputs(stack) == {'secret': made['secret']}
    driver.delete(stack)


def test_relation_that_is_replaced_by_the_same_relation_stays(running_cloud, driver, ids):  # noqa: F811
    def template(*names):
        values = {'role': 'a role', 'implied_role': 'a role'}
        relation = {'type': 'OS::Keystone::ImpliedRole', 'properties': values}
        return {'resources': {name: relation for name in names}}

    fake = running_cloud.cloud
    stack = driver.create(template('it'), name='implied')
    (path,) = fake.state['related']
    fake.state['related'].clear()
    driver.update(stack, template('it'), converge=True)
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert fake.state['related'] == {path}
    driver.delete(stack)
    assert not fake.state['related']


def observed(driver, type_name, one):  # noqa: F811
    """Return an object as ``heat-lite import`` asks for it, by its id alone."""
    it = {'type': type_name, 'external_id': one}
    answer = driver.client.preview_stack(
        driver.context,
        stack_name='n',
        template={'heat_template_version': '2021-04-16', 'resources': {'it': it}},
        params={},
        files={},
        args={'observe': True},
    )
    (found,) = answer['resources']
    return found


@pytest.mark.parametrize(
    ('name', 'one', 'text'),
    [
        ('Keystone::ImpliedRole', 'x', 'an OS::Keystone::ImpliedRole has the form implied_role=ID'),
        ('Keystone::ImpliedRole', 'role=x:implied_role=y', 'Not Found'),
        ('Neutron::ExtraRoute', 'x:192.0.2.0/24:10.0.0.1', 'router x could not be found'),
    ],
)
def test_import_of_a_relation_that_is_not_there_tells_why(
    name,
    one,
    text,
    running_cloud,  # noqa: F811
    driver,  # noqa: F811
    ids,  # noqa: F811
):
    found = observed(driver, f'OS::{name}', one)
    assert re.search(text, found['live_error']), found


def test_import_of_a_subscription_that_no_queue_has_is_refused(running_cloud, driver, ids):  # noqa: F811
    with pytest.raises(exception.HeatException, match='x .*can not be found'):
        observed(driver, 'OS::Zaqar::Subscription', 'x')


def test_relation_is_imported_by_its_id_and_ended_by_the_delete(running_cloud, driver, ids):  # noqa: F811
    kind, fake = 'OS::Keystone::ImpliedRole', running_cloud.cloud
    values = samples.properties(REGISTRY.get(kind), ids)
    stack = driver.create(one_resource(kind, values))
    relation, made = driver.physical_id(stack, 'it'), set(fake.state['related'])
    driver.delete(stack)
    fake.state['related'] |= made

    def template(one):
        shape = {'type': kind, 'import': {'id': one}, 'properties': values}
        return {'heat_template_version': 'heat_lite_2026-12-01', 'resources': {'it': shape}}

    with pytest.raises(exception.StackValidationFailed, match='only a new resource can take'):
        driver.create(template('role=x:implied_role=y'))
    stack = driver.create(template(relation))
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert fake.state['related'] == made and driver.physical_id(stack, 'it') == relation
    driver.delete(stack)
    assert not fake.state['related']


def test_import_of_a_child_that_several_parents_have_asks_for_one(running_cloud, driver, ids):  # noqa: F811
    providers = '/resource_providers'
    for one in (running_cloud.cloud.put('placement', providers) for _ in range(2)):
        running_cloud.cloud.put(
            'placement', f'{providers}/{{resource_provider}}/inventories', resource_class='VCPU'
        )
        made = running_cloud.cloud.objects.pop(
            ('placement', f'{providers}/{{resource_provider}}/inventories', 'VCPU')
        )
        running_cloud.cloud.objects['placement', f'{providers}/{one}/inventories', 'VCPU'] = made
    with pytest.raises(exception.HeatException, match='add --property provider='):
        observed(driver, 'OS::Placement::Inventory', 'VCPU')


def test_assignments_of_roles_are_compared_and_described(running_cloud, driver, ids):  # noqa: F811
    name = 'OS::Keystone::UserRoleAssignment'
    values = samples.properties(REGISTRY.get(name), ids)
    stack = driver.create(one_resource(name, values))
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    user = driver.physical_id(stack, 'it')
    (path,) = [each for each in running_cloud.cloud.state['related'] if user in each]
    _, scope, where, *_, role = path.split('/')
    inherited = f'/OS-INHERIT{path}/inherited_to_projects'
    running_cloud.cloud.state['related'].add(inherited)
    live = observed(driver, name, user)['live_properties']
    assert live == {'user': user, 'roles': [{'role': role, scope.removesuffix('s'): where}]}
    running_cloud.cloud.state['related'] -= {path, inherited}
    (found,) = driver.client.stack_drift(driver.context, stack_identity=stack)['resources']
    assert [each['actual'] for each in found['properties']] == [[]]
    driver.delete(stack)


def test_load_balancer_is_described_without_the_port_of_octavia(running_cloud, driver, ids):  # noqa: F811
    shown = {'vip_subnet_id': 'a subnet', 'vip_network_id': 'a network', 'vip_port_id': 'its own'}
    one = running_cloud.cloud.put('load-balancer', '/lbaas/loadbalancers', name='front', **shown)
    live = observed(driver, 'OS::Octavia::LoadBalancer', one)['live_properties']
    assert live == {'name': 'front', 'vip_subnet': 'a subnet', 'vip_address': '10.0.0.3'}


def test_subnet_is_described_as_a_template_may_have_it(running_cloud, driver, ids):  # noqa: F811
    shown = {'network_id': 'a network', 'subnetpool_id': 'a subnetpool', 'cidr': '10.4.0.0/27'}
    one = running_cloud.cloud.put('network', '/subnets', gateway_ip=None, **shown)
    live = observed(driver, 'OS::Neutron::Subnet', one)['live_properties']
    assert live['prefixlen'] == 27 and live['gateway_ip'] == '' and 'cidr' not in live


def test_credential_is_imported_by_its_access_key(running_cloud, driver, ids):  # noqa: F811
    key = uuid.uuid4().hex
    known, where = hashlib.sha256(key.encode()).hexdigest(), ('identity', '/credentials')
    blob = json.dumps({'access': key, 'secret': 'x'})
    running_cloud.cloud.put(*where, id=known, type='ec2', user_id='u', project_id='p', blob=blob)
    name = 'OS::Keystone::EC2Credential'
    live = observed(driver, name, key)['live_properties']
    assert live == observed(driver, name, known)['live_properties'] == {'user': 'u', 'project': 'p'}
    given = {'type': name, 'import': {'id': key}}
    version = {'heat_template_version': 'heat_lite_2026-12-01'}
    stack = driver.create({**version, 'resources': {'it': given}})
    assert driver.physical_id(stack, 'it') == known
    driver.delete(stack)
    assert (*where, known) not in running_cloud.cloud.objects


def test_connection_of_sites_is_complete_when_its_agent_has_it(running_cloud, driver, ids):  # noqa: F811
    name = 'OS::Neutron::IPsecSiteConnection'
    running_cloud.cloud.looks = 4
    stack = driver.create(one_resource(name, samples.properties(REGISTRY.get(name), ids)))
    assert driver.outputs(stack)['status'] == 'DOWN'
    driver.delete(stack)


@pytest.mark.parametrize('algorithm', ['sha1', 'sha512'])
@pytest.mark.parametrize('kind', ['IKE', 'IPsec'])
def test_policy_is_described_with_its_algorithm(kind, algorithm, running_cloud, driver, ids):  # noqa: F811
    where = 'network', f'/vpn/{kind.lower()}policies'
    one = running_cloud.cloud.put(*where, auth_algorithm=algorithm)
    live = observed(driver, f'OS::Neutron::{kind}Policy', one)['live_properties']
    assert live['auth_algorithm'] == algorithm


def _of(fake, service, path):
    return [each for key, each in fake.objects.items() if key[:2] == (service, path)]


def _change(service, path, **values):
    """Return a function that changes the objects of a collection."""

    def change(fake):
        for each in _of(fake, service, path):
            each.update(copy.deepcopy(values))

    return change


def _forget(name):
    return lambda fake: fake.state[name].clear()


def _edit_workflow(fake):
    for each in _of(fake, 'workflow', '/workflows'):
        each['definition'] = (each['definition'] or '').replace('std.', 'my.')


def _edit_queue(fake):
    for each in _of(fake, 'messaging', '/queues'):
        each['metadata'] = {'theirs': 1}


def _edit_trigger(fake):
    post = {'workflow_id': 'theirs', 'input': {}, 'params': {}}
    for key, each in fake.objects.items():
        if key[1].endswith('/subscriptions'):
            each['options'] = {'post_data': json.dumps(post)}


def _edit_container(fake):
    for each in _of(fake, 'object-store', '/'):
        each.update({key: 'theirs' for key in each if key.startswith('HTTP_X_CONTAINER')})


UNTIE = _change('network', '/floatingips', port_id=None, fixed_ip_address=None)
NO_ROUTES = _change('network', '/routers', routes=[])
#: type -> what others do in the cloud, and what the drift shows then
DRIFTS = {
    'AWS::EC2::EIP': (UNTIE, ['InstanceId']),
    'AWS::EC2::EIPAssociation': (UNTIE, 'missing'),
    'AWS::EC2::SubnetRouteTableAssociation': (_forget('interfaces'), 'missing'),
    'AWS::EC2::VPCGatewayAttachment': (
        _change('network', '/routers', external_gateway_info=None),
        'missing',
    ),
    'AWS::EC2::VolumeAttachment': (_change('block-storage', '/volumes', attachments=[]), 'missing'),
    'AWS::S3::Bucket': (_edit_container, ['AccessControl', 'Tags', 'WebsiteConfiguration']),
    'OS::Cinder::QoSAssociation': (_forget('associated'), ['volume_types']),
    'OS::Designate::TSIGKey': (_change('dns', '/tsigkeys', secret='theirs'), ['secret']),
    'OS::Keystone::Credential': (_change('identity', '/credentials', blob='theirs'), ['blob']),
    'OS::Keystone::User': (_forget('related'), ['groups', 'roles']),
    'OS::Manila::ShareNetwork': (_forget('shared'), ['security_services']),
    'OS::Mistral::Workflow': (_edit_workflow, ['tasks']),
    'OS::Neutron::ExtraRoute': (NO_ROUTES, 'missing'),
    'OS::Neutron::ExtraRouteSet': (NO_ROUTES, ['routes']),
    'OS::Nova::FloatingIP': (
        _change('network', '/floatingips', floating_network_id='another'),
        ['pool'],
    ),
    'OS::Nova::FloatingIPAssociation': (UNTIE, 'missing'),
    'OS::Nova::HostAggregate': (
        _change('compute', '/os-aggregates', metadata={'availability_zone': 'theirs', 'a': 'b'}),
        ['metadata'],
    ),
    'OS::Swift::Container': (
        _edit_container,
        [
            'X-Container-Meta',
            'X-Container-Read',
            'X-Container-Sync-Key',
            'X-Container-Sync-To',
            'X-Container-Write',
        ],
    ),
    'OS::Trove::Instance': (
        _change('database', '/instances', flavorRef='theirs', volume={'size': 9}),
        ['flavor', 'size'],
    ),
    'OS::Zaqar::MistralTrigger': (_edit_trigger, ['input', 'params', 'workflow_id']),
    'OS::Zaqar::Queue': (_edit_queue, ['metadata']),
}
#: types of which an update with the live state corrects the drift in place
CORRECTED = {
    'AWS::EC2::EIP',
    'OS::Cinder::QoSAssociation',
    'OS::Designate::TSIGKey',
    'OS::Keystone::Credential',
    'OS::Keystone::User',
    'OS::Manila::ShareNetwork',
    'OS::Mistral::Workflow',
    'OS::Neutron::ExtraRouteSet',
    'OS::Nova::FloatingIPAssociation',
    'OS::Nova::HostAggregate',
    'OS::Swift::Container',
    'OS::Trove::Instance',
    'OS::Zaqar::MistralTrigger',
    'OS::Zaqar::Queue',
}


@pytest.mark.parametrize('name', DRIFTS)
def test_change_by_others_is_drift(name, running_cloud, driver, ids):  # noqa: F811
    change, shown = DRIFTS[name]
    text = one_resource(name, samples.properties(REGISTRY.get(name), ids))
    stack = driver.create(text)
    change(running_cloud.cloud)
    (found,) = driver.client.stack_drift(driver.context, stack_identity=stack)['resources']
    assert [each['property'] for each in found['properties']] == (
        [] if shown == 'missing' else shown
    ), found
    assert found['status'] == ('missing' if shown == 'missing' else 'changed')
    if name in CORRECTED:
        physical_id = driver.physical_id(stack, 'it')
        driver.update(stack, text, converge=True)
        assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
        assert driver.physical_id(stack, 'it') == physical_id
        require_no_drift(driver, stack, name)
    driver.delete(stack)


def test_replacement_of_an_object_takes_its_unique_name(running_cloud, driver, ids):  # noqa: F811
    kind = 'OS::Nova::KeyPair'

    def template(key):
        return {'resources': {'it': {'type': kind, 'properties': {'name': 'k', 'public_key': key}}}}

    def made():
        listed = running_cloud.cloud.of('compute', '/os-keypairs')
        return [each['public_key'] for each in listed if each['name'] == 'k']

    stack = driver.create(template('first'))
    driver.update(stack, template('second'))
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert made() == ['second']
    running_cloud.cloud.fail('DELETE', '/os-keypairs/', 400)
    driver.update(stack, template('fourth'))
    assert (driver.state(stack), made()) == ('UPDATE_FAILED', ['second'])
    driver.update(stack, template('fourth'))
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert made() == ['fourth']
    running_cloud.cloud.fail('POST', '/os-keypairs$', 400)
    driver.update(stack, template('third'))
    assert (driver.state(stack), made()) == ('UPDATE_FAILED', [])
    driver.update(stack, template('second'))
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert made() == ['second']
    driver.delete(stack)
    assert made() == []


def test_object_of_the_same_id_in_another_collection_is_no_owner(running_cloud, driver, ids):  # noqa: F811
    cloud = running_cloud.cloud
    role = cloud.put('identity', '/roles', name='r')
    project = cloud.put('identity', '/projects', name='p')
    values = {
        'name': 'someone',
        'domain': 'a domain',
        'roles': [{'role': role, 'project': project}],
    }
    stack = driver.create(one_resource('OS::Keystone::User', values))
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    user = driver.physical_id(stack, 'it')
    found = observed(driver, 'OS::Keystone::UserRoleAssignment', user)
    assert found.get('live_error') is None, found['live_error']
    assert 'live_properties' in found, sorted(found)
    assert found['live_properties']['roles'] == [{'role': role, 'project': project}]
    assert found['live_owner'] is None
    assert observed(driver, 'OS::Keystone::User', user)['live_owner'].endswith('/it')
    driver.delete(stack)


def test_value_specs_are_compared_by_the_keys_that_the_template_names(running_cloud, driver, ids):  # noqa: F811
    specs = {'router:external': 'False', 'provider:network_type': 'vlan'}
    text = one_resource('OS::Neutron::Net', {'name': 'lan', 'value_specs': specs})
    stack, fake = driver.create(text), running_cloud.cloud
    (lan,) = [each for each in fake.of('network', '/networks') if each['name'] == 'lan']
    lan['router:external'] = False  # as Neutron reads the text
    require_no_drift(driver, stack, 'OS::Neutron::Net')
    lan['router:external'] = True
    network_type = lan.pop('provider:network_type')  # which only administrators see
    (found,) = driver.client.stack_drift(driver.context, stack_identity=stack)['resources']
    assert found['properties'] == [
        {
            'property': 'value_specs',
            'expected': specs,
            'actual': {**specs, 'router:external': True},
        }
    ]
    lan['provider:network_type'] = network_type
    driver.update(stack, text, converge=True)
    assert lan['router:external'] == 'False'
    require_no_drift(driver, stack, 'OS::Neutron::Net')
    driver.delete(stack)


def test_temporary_url_of_a_name_with_a_space_is_accepted(running_cloud, driver, ids):  # noqa: F811
    names = {'container': 'signals', 'object': 'ü b', 'method': 'PUT'}
    stack = driver.create(one_resource('OS::Swift::TempURL', names))
    assert requests.put(driver.outputs(stack)['url'], data='text', timeout=10).status_code == 201
    driver.delete(stack)


def test_aggregate_keeps_its_zone_without_it_in_the_metadata(running_cloud, driver, ids):  # noqa: F811
    values = {'name': 'rack', 'availability_zone': 'here'}
    given = {'metadata': {'availability_zone': 'here', 'a': 'b'}}
    stack = driver.create(one_resource('OS::Nova::HostAggregate', {**values, **given}))
    driver.update(stack, one_resource('OS::Nova::HostAggregate', {**values, 'metadata': {}}))
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    driver.delete(stack)


def test_import_of_an_object_keeps_the_time_of_its_end(running_cloud, driver, ids):  # noqa: F811
    values = {'container': 'signals', 'name': 'o', 'content': 'a', 'delete_at': 1900000000}
    stack = driver.create(one_resource('OS::Swift::Object', values))
    found = observed(driver, 'OS::Swift::Object', 'signals/o')['live_properties']
    assert found['delete_at'] == values['delete_at']
    driver.delete(stack)


def test_import_of_an_alarm_keeps_its_actions(running_cloud, driver, ids):  # noqa: F811
    values = {'ok_actions': ['http://192.0.2.1/'], 'alarm_queues': [queue(running_cloud)]}
    stack = driver.create(one_resource('OS::Aodh::EventAlarm', values))
    alarm = driver.physical_id(stack, 'it')
    found = observed(driver, 'OS::Aodh::EventAlarm', alarm)['live_properties']
    assert {name: found[name] for name in values} == values
    assert 'ok_queues' not in found
    driver.delete(stack)


def queue(fake):
    fake.cloud.objects['messaging', '/queues', 'a b'] = {'id': 'a b', 'name': 'a b'}
    return 'a b'


def test_access_rule_of_a_share_takes_another_level(running_cloud, driver, ids):  # noqa: F811
    rule = {'access_to': '192.0.2.1', 'access_type': 'ip', 'access_level': 'ro'}
    values = {'share_protocol': 'NFS', 'size': 1, 'access_rules': [rule]}
    stack = driver.create(one_resource('OS::Manila::Share', values))
    values['access_rules'] = [{**rule, 'access_level': 'rw'}]
    driver.update(stack, one_resource('OS::Manila::Share', values))
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    require_no_drift(driver, stack, 'OS::Manila::Share')
    driver.delete(stack)
