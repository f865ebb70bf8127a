"""A stack of the generated template of each resource type, with and without optional values."""

import json

import pytest

from heat_lite import resources
from heat_lite.resources.containers.engine_object import EngineObject
from heat_lite.template import support
from heat_lite.template.schema import visible
from tests import samples
from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401 - fixtures
from tests.samples import OMIT

# ruff: noqa: F811 - fixtures are arguments

REGISTRY = resources.build_registry()
#: types without a stack here; the unit tests bind and validate their templates
NOT_CREATED = {
    'AWS::ElasticLoadBalancing::LoadBalancer': 'its nested stack waits for a guest',
    'OS::Cinder::VolumeTransferAccept': 'a transfer is accepted once, and each test has two stacks',
    'OS::Heat::Stack': 'the fake cloud has no orchestration service',
    **{
        name: 'the fake cloud has no container engine'
        for name in REGISTRY.names()
        if issubclass(REGISTRY.get(name), EngineObject)
    },
}
TYPES = [
    name
    for name in REGISTRY.names()
    if name not in NOT_CREATED and REGISTRY.get(name).support_status.status != support.HIDDEN
]
CONFIG = {'config': ('OS::Heat::SoftwareConfig', {})}
LAUNCH = {
    'launch': (
        'AWS::AutoScaling::LaunchConfiguration',
        {'ImageId': 'a images', 'InstanceType': 'a flavor'},
    )
}
URL = 'http://example.org/inner.json'
INNER = {
    'heat_template_version': '2021-04-16',
    'parameters': {'key': {'type': 'string', 'default': ''}},
}
DEFINITION = {'type': 'OS::Heat::RandomString'}
DEPLOYMENT = {'config': {'ref': 'config'}, 'signal_transport': 'NO_SIGNAL'}
GROUP_DEPLOYMENT = {**DEPLOYMENT, 'servers': {'0': '{server}'}}
WAITING = {'Handle': {'ref': 'handle'}, 'Timeout': 60, 'Count': 1}
#: {type: values that differ from those of the samples}; {'ref': NAME} is edited into the template
VALUES = {
    'AWS::AutoScaling::AutoScalingGroup': {
        **{'LaunchConfigurationName': {'ref': 'launch'}, 'InstanceId': OMIT},
        **{'MinSize': 0, 'MaxSize': 1, 'DesiredCapacity': 1, 'VPCZoneIdentifier': OMIT},
        'LoadBalancerNames': OMIT,
    },
    'AWS::AutoScaling::LaunchConfiguration': {
        **{'ImageId': 'a images', 'InstanceType': 'a flavor', 'InstanceId': OMIT},
        'KeyName': 'a keypair',
        'BlockDeviceMappings': [
            {'DeviceName': 'vdb', 'Ebs': {'SnapshotId': 'a snapshot', 'VolumeSize': '2'}}
        ],
    },
    'AWS::AutoScaling::ScalingPolicy': {'MinAdjustmentStep': OMIT},
    'AWS::CloudFormation::Stack': {'TemplateURL': URL},
    'AWS::CloudFormation::WaitCondition': WAITING,
    'AWS::IAM::AccessKey': {'UserName': {'ref': 'user'}},
    'AWS::IAM::User': {'Policies': OMIT},
    'OS::Heat::AccessPolicy': {'AllowedResources': ['config']},
    'OS::Heat::AutoScalingGroup': {
        **{'resource': DEFINITION, 'min_size': 0, 'max_size': 1, 'desired_capacity': 1},
    },
    'OS::Heat::CWLiteAlarm': {
        **dict.fromkeys(('EvaluationPeriods', 'Period', 'Threshold'), '1'),
        **dict.fromkeys(('AlarmActions', 'OKActions', 'InsufficientDataActions'), OMIT),
        'Dimensions': [{'Name': 'one', 'Value': '1'}],
    },
    'OS::Heat::InstanceGroup': {
        **{'LaunchConfigurationName': {'ref': 'launch'}, 'Size': 1, 'LoadBalancerNames': OMIT},
    },
    'OS::Heat::RandomString': {'length': 20},
    'OS::Heat::ResourceChain': {'resources': ['OS::Heat::RandomString'], 'resource_properties': {}},
    'OS::Heat::ResourceGroup': {'resource_def': DEFINITION},
    'OS::Heat::ScalingPolicy': {'min_adjustment_step': OMIT},
    'OS::Heat::SoftwareDeployment': {**DEPLOYMENT, 'server': '{server}'},
    'OS::Heat::SoftwareDeploymentGroup': GROUP_DEPLOYMENT,
    'OS::Heat::Stack': {'template': json.dumps(INNER), 'parameters': {'key': 'one'}, 'context': {}},
    'OS::Heat::StructuredDeployment': {**DEPLOYMENT, 'server': '{server}'},
    'OS::Heat::StructuredDeploymentGroup': GROUP_DEPLOYMENT,
    'OS::Heat::TestResource': {'action_wait_secs': {'create': 0}, 'constraint_prop_secs': 0},
    'OS::Heat::WaitCondition': {'handle': {'ref': 'handle'}, 'timeout': 60, 'count': 1},
}
#: {type: {name: (type, properties)}}, the resources of the template that the values refer to
OTHERS = {
    'AWS::AutoScaling::AutoScalingGroup': LAUNCH,
    'AWS::CloudFormation::WaitCondition': {
        'handle': ('AWS::CloudFormation::WaitConditionHandle', {})
    },
    'AWS::IAM::AccessKey': {'user': ('AWS::IAM::User', {})},
    'OS::Heat::AccessPolicy': CONFIG,
    'OS::Heat::InstanceGroup': LAUNCH,
    'OS::Heat::SoftwareDeployment': CONFIG,
    'OS::Heat::SoftwareDeploymentGroup': CONFIG,
    'OS::Heat::StructuredDeployment': {'config': ('OS::Heat::StructuredConfig', {})},
    'OS::Heat::StructuredDeploymentGroup': {'config': ('OS::Heat::StructuredConfig', {})},
    'OS::Heat::WaitCondition': {'handle': ('OS::Heat::WaitConditionHandle', {})},
}
#: {type: optional properties of which the type requires one or more}
NEEDED = {
    'AWS::AutoScaling::AutoScalingGroup': ['LaunchConfigurationName'],
    'AWS::AutoScaling::LaunchConfiguration': ['ImageId', 'InstanceType'],
    'AWS::EC2::EIPAssociation': ['EIP', 'InstanceId'],
    'OS::Barbican::ACL': ['secret'],
    'OS::Barbican::Order': ['algorithm', 'bit_length', 'mode'],
    'OS::Barbican::Quota': ['secrets'],
    'OS::Cinder::Quota': ['volumes'],
    'OS::Cinder::Volume': ['size'],
    'OS::Designate::Quota': ['zones'],
    'OS::Designate::Zone': ['email'],
    'OS::Heat::SoftwareDeployment': ['config', 'signal_transport'],
    'OS::Heat::SoftwareDeploymentGroup': ['config', 'signal_transport'],
    'OS::Heat::StructuredDeployment': ['config', 'signal_transport'],
    'OS::Heat::StructuredDeploymentGroup': ['config', 'signal_transport'],
    'OS::HeatLite::Lookup': ['kind', 'take'],
    'OS::Ironic::Allocation': ['resource_class'],
    'OS::Keystone::InheritedRoleAssignment': ['user', 'project'],
    'OS::Keystone::Limit': ['project'],
    'OS::Manila::Quota': ['shares'],
    'OS::Mistral::CronTrigger': ['pattern'],
    'OS::Neutron::Firewall': ['value_specs'],
    'OS::Neutron::FloatingIPPortForward': ['internal_port', 'internal_port_number'],
    'OS::Neutron::IPsecSiteConnection': ['peer_ep_group', 'local_ep_group'],
    'OS::Neutron::LocalIP': ['network'],
    'OS::Neutron::MeteringRule': ['remote_ip_prefix'],
    'OS::Neutron::NetworkSegmentRange': ['physical_network'],
    'OS::Neutron::Quota': ['network'],
    'OS::Neutron::RouterInterface': ['subnet'],
    'OS::Neutron::Segment': ['physical_network', 'segmentation_id'],
    'OS::Neutron::Subnet': ['cidr'],
    'OS::Nova::InterfaceAttachment': ['network'],
    'OS::Nova::KeyPair': ['public_key'],
    'OS::Nova::Quota': ['cores'],
    'OS::Nova::Server': ['image', 'networks'],
    'OS::Nova::ShareAttachment': ['restart'],
    'OS::Octavia::AvailabilityZoneProfile': ['provider_name'],
    'OS::Octavia::FlavorProfile': ['provider_name'],
    'OS::Octavia::L7Policy': ['redirect_pool'],
    'OS::Octavia::LoadBalancer': ['vip_subnet'],
    'OS::Octavia::Pool': ['loadbalancer'],
    'OS::Octavia::Quota': ['pool'],
}
#: data of the signal that a wait condition waits for
SIGNALS = {
    'AWS::CloudFormation::WaitCondition': {
        'Status': 'SUCCESS',
        'UniqueId': '1',
        'Data': '',
        'Reason': '',
    },
    'OS::Heat::WaitCondition': {'status': 'SUCCESS', 'id': '1'},
}


def values_of(kind, ids):
    """Return a value for each property of the type, OMIT for those that exclude others."""
    special = VALUES.get(kind.resource_type, {})
    values = samples.properties(kind, ids, special=special)
    return {name: values.get(name, OMIT) for name in visible(kind.properties_schema)}


def edited(template, name, values, removed):
    """Return the template with the references among ``values`` and the resources they name, and
    without the properties ``removed``.
    """
    hot = 'resources' in template
    section = template['resources' if hot else 'Resources']
    properties = next(iter(section.values()))['properties' if hot else 'Properties']
    for key in removed:
        del properties[key], template['parameters' if hot else 'Parameters'][key]
    for key, value in values.items():
        if isinstance(value, dict) and set(value) == {'ref'}:
            properties[key] = {'get_resource' if hot else 'Ref': value['ref']}
            del template['parameters' if hot else 'Parameters'][key]
    for other, (type_name, more) in OTHERS.get(name, {}).items():
        keys = ('type', 'properties') if hot else ('Type', 'Properties')
        section[other] = dict(zip(keys, (type_name, more), strict=True))
    return template


def as_parameters(template, values):
    """Return the values of the template's parameters; maps as a command line gives them."""
    declared = template.get('parameters') or template.get('Parameters') or {}
    return {
        key: json.dumps(values[key]) if isinstance(values[key], dict) else values[key]
        for key in declared
        if values.get(key, OMIT) is not OMIT
    }


def create(driver, name, template, values):
    stack = driver.create(
        template,
        name=name.rpartition(':')[2],
        params={'parameters': as_parameters(template, values)},
        files={URL: json.dumps(INNER)},
        wait=False,
    )
    if name in SIGNALS:
        driver.wait_for_resource(stack, 'handle', 'CREATE_COMPLETE')
        driver.client.resource_signal(
            driver.context,
            stack_identity=stack,
            resource_name='handle',
            details=SIGNALS[name],
            sync_call=True,
        )
    driver.wait(stack)
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    driver.delete(stack)


@pytest.fixture
def domain(running_cloud, ids):
    """The domain that Keystone's types have as their default."""
    running_cloud.cloud.put('identity', '/domains', id='default', name='default')


@pytest.mark.parametrize('name', TYPES)
def test_generated_template_takes_all_values(name, driver, ids, domain):
    values = values_of(REGISTRY.get(name), ids)
    for form in ('hot', 'cfn'):
        template = generated(driver, name, form)
        # CFN can leave no property out
        removed = [key for key, value in values.items() if value is OMIT and form == 'cfn']
        create(driver, name, edited(template, name, values, removed), values)


@pytest.mark.parametrize('name', TYPES)
def test_generated_hot_template_needs_no_optional_values(name, driver, ids, domain):
    kind, template = REGISTRY.get(name), generated(driver, name, 'hot')
    values = {
        key: value
        for key, value in values_of(kind, ids).items()
        if kind.properties_schema[key].required or key in NEEDED.get(name, [])
    }
    create(driver, name, edited(template, name, values, ()), values)


def generated(driver, name, form):
    return driver.client.generate_template(driver.context, type_name=name, template_type=form)
