"""Updates of Neutron types: an engine against a fake cloud over HTTP."""

import pytest

from heat_lite.common import exception
from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401

# ruff: noqa: F811 - fixtures are arguments

PROFILE = 'binding:profile'


def stack_of(kind, **properties):
    return {'resources': {'it': {'type': f'OS::Neutron::{kind}', 'properties': properties}}}


def update(driver, stack, *args, **properties):
    driver.update(stack, stack_of(*args, **properties))
    return driver.stack(stack)['stack_status_reason']


def check(driver, stack):
    driver.client.stack_check(driver.context, stack_identity=stack)
    driver.wait(stack)
    return driver.stack(stack)['stack_status_reason']


def test_update_of_value_specs_keeps_what_others_have_changed(running_cloud, driver, ids):
    def port(**profile):
        return stack_of('Port', network='a network', value_specs={'description': 'a', **profile})

    stack = driver.create(port(**{PROFILE: {'trusted': False, 'removed': 1}}))
    found = running_cloud.cloud.of('network', '/ports')[-1]
    found.update({PROFILE: {**found[PROFILE], 'pci_slot': '0000:03:00.1'}, 'description': 'b'})
    driver.update(stack, port(**{PROFILE: {'trusted': True}}))
    assert driver.state(stack) == 'UPDATE_COMPLETE'
    assert found[PROFILE] == {'trusted': True, 'pci_slot': '0000:03:00.1'}
    assert found['description'] == 'b'
    driver.delete(stack)


RULES = '/security-group-rules'


def tcp(port, **values):
    return {'protocol': 'tcp', 'port_range_min': port, 'port_range_max': port, **values}


def posts(running_cloud):
    return [each for each in running_cloud.cloud.asked if each[0] == 'POST' and RULES in each[1]]


def ports_of_rules(running_cloud):
    rules = running_cloud.cloud.of('network', RULES)
    return sorted(each['port_range_min'] for each in rules if each.get('protocol'))


def test_rules_of_a_security_group_are_created_by_one_request(running_cloud, driver, ids):
    stack = driver.create(stack_of('SecurityGroup', rules=[tcp(1), tcp(2), tcp(3)]))
    assert driver.state(stack) == 'CREATE_COMPLETE'
    assert len(posts(running_cloud)) == 1
    driver.update(stack, stack_of('SecurityGroup', rules=[tcp(2), tcp(4), tcp(5)]))
    assert len(posts(running_cloud)) == 2
    assert ports_of_rules(running_cloud) == [2, 4, 5]
    driver.delete(stack)


def test_rules_with_equivalents_among_them_are_created_one_by_one(running_cloud, driver, ids):
    rules = [tcp(1), tcp(1), tcp(2), tcp(2, remote_ip_prefix='0.0.0.0/0'), tcp(3)]
    stack = driver.create(stack_of('SecurityGroup', rules=rules))
    assert driver.state(stack) == 'CREATE_COMPLETE'
    assert ports_of_rules(running_cloud) == [1, 2, 3]
    driver.delete(stack)


def test_rule_that_neutron_shows_in_other_notation_stays(running_cloud, driver, ids):
    rule = {**tcp(22), 'ethertype': 'IPv6', 'remote_ip_prefix': 'FD00:0005::/32'}
    stack = driver.create(stack_of('SecurityGroup', rules=[rule]))
    [found] = [each for each in running_cloud.cloud.of('network', RULES) if 'FD00' in str(each)]
    found['remote_ip_prefix'] = 'fd00:5::/32'
    assert check(driver, stack) == 'Stack CHECK completed successfully'
    update(driver, stack, 'SecurityGroup', rules=[rule, tcp(23)])
    assert found in running_cloud.cloud.of('network', RULES)
    driver.delete(stack)


def test_rules_beyond_the_quota_fail_the_security_group(running_cloud, driver, ids):
    message = "Quota exceeded for resources: ['security_group_rule']."
    running_cloud.cloud.fail('POST', RULES, 409, message=message)
    stack = driver.create(stack_of('SecurityGroup', rules=[tcp(1)]))
    assert driver.state(stack) == 'CREATE_FAILED'
    assert message in driver.stack(stack)['stack_status_reason']
    driver.delete(stack)


@pytest.mark.parametrize('status', [400, 504])
def test_failed_request_for_rules_leaves_a_group_that_the_next_update_completes(
    status, running_cloud, driver, ids
):
    wanted = stack_of('SecurityGroup', rules=[tcp(1), tcp(2)])
    running_cloud.cloud.fail('POST', RULES, status, message='it went wrong')
    stack = driver.create(wanted)
    assert driver.state(stack) == 'CREATE_FAILED'
    driver.update(stack, wanted)
    assert driver.state(stack) == 'UPDATE_COMPLETE'
    assert ports_of_rules(running_cloud) == [1, 2]
    driver.delete(stack)


NEVER_STATEFUL = stack_of('SecurityGroup', stateful=False)


def test_stateless_security_group_needs_its_extension(running_cloud, driver, ids):
    running_cloud.cloud.extensions = ['security-group']
    with pytest.raises(
        exception.StackValidationFailed, match='does not support stateless security groups'
    ):
        driver.create(NEVER_STATEFUL)
    driver.delete(driver.create(stack_of('SecurityGroup', stateful=True)))


def test_stateful_of_a_security_group_in_use_is_not_changed(running_cloud, driver, ids):
    stack = driver.create(NEVER_STATEFUL)
    assert driver.state(stack) == 'CREATE_COMPLETE'
    first = driver.physical_id(stack, 'it')
    running_cloud.cloud.fail('PUT', '/security-groups/', 409, message='in use')
    reason = update(driver, stack, 'SecurityGroup', stateful=True)
    assert 'A change of "stateful" while ports use the group' in reason
    update(driver, stack, 'SecurityGroup')
    assert driver.state(stack) == 'UPDATE_COMPLETE'
    assert driver.physical_id(stack, 'it') == first, 'a refused update replaces nothing'
    assert running_cloud.cloud.of('network', '/security-groups')[-1]['stateful'] is True
    driver.delete(stack)


def test_automatic_gateway_is_for_new_subnets(running_cloud, driver, ids):
    subnet = {'network': 'a network', 'cidr': '10.0.0.0/24'}
    stack = driver.create(stack_of('Subnet', **subnet, gateway_ip='auto'))
    found = running_cloud.cloud.of('network', '/subnets')[-1]
    assert found['gateway_ip'] is None, 'not sent'
    found['gateway_ip'] = '10.0.0.1'
    assert check(driver, stack) == 'Stack CHECK completed successfully'
    update(driver, stack, 'Subnet', **subnet, gateway_ip='10.0.0.2')
    assert found['gateway_ip'] == '10.0.0.2'
    assert 'not supported' in update(driver, stack, 'Subnet', **subnet, gateway_ip='auto')
    update(driver, stack, 'Subnet', **subnet, gateway_ip='')
    assert driver.state(stack) == 'UPDATE_COMPLETE'
    assert found['gateway_ip'] is None
    driver.delete(stack)


@pytest.mark.parametrize(
    ('extensions', 'properties', 'algorithm'),
    [
        (['vpnaas'], {}, 'sha1'),
        (['vpnaas', 'vpn-no-sha1-3des'], {}, 'sha256'),
        (['vpnaas', 'vpn-no-sha1-3des'], {'auth_algorithm': 'sha384'}, 'sha384'),
    ],
)
@pytest.mark.parametrize(('kind', 'path'), [('IKE', 'ikepolicies'), ('IPsec', 'ipsecpolicies')])
def test_policy_without_algorithm_has_one_that_neutron_knows(
    kind, path, extensions, properties, algorithm, running_cloud, driver, ids
):
    stack = driver.create(stack_of(f'{kind}Policy', name='a', **properties))
    running_cloud.cloud.extensions = extensions
    first = driver.physical_id(stack, 'it')
    update(driver, stack, f'{kind}Policy', name='b', **properties)
    assert driver.physical_id(stack, 'it') == first, 'existing policies stay'
    driver.delete(stack)
    stack = driver.create(stack_of(f'{kind}Policy', **properties))
    assert running_cloud.cloud.of('network', f'/vpn/{path}')[-1]['auth_algorithm'] == algorithm
    assert check(driver, stack) == 'Stack CHECK completed successfully'
    driver.delete(stack)


def dhcp(*names):
    options = [{'opt_name': name, 'opt_value': 'x', 'ip_version': 4} for name in names]
    return stack_of('Port', network='a network', extra_dhcp_opts=options)


def test_update_removes_the_dhcp_options_that_are_left_out(running_cloud, driver, ids):
    stack = driver.create(dhcp('mtu', 'bootfile-name'))
    running_cloud.cloud.asked.clear()
    driver.update(stack, dhcp('mtu'))
    assert driver.state(stack) == 'UPDATE_COMPLETE'
    (sent,) = [body['port'] for method, _, body in running_cloud.cloud.asked if method == 'PUT']
    values = {each['opt_name']: each['opt_value'] for each in sent['extra_dhcp_opts']}
    assert values == {'mtu': 'x', 'bootfile-name': None}
    driver.delete(stack)


def test_addresses_of_an_address_group_are_added_and_removed(running_cloud, driver, ids):
    stack = driver.create(stack_of('AddressGroup', addresses=['10.1.0.0/24', '10.2.0.0/24']))
    update(driver, stack, 'AddressGroup', addresses=['10.2.0.0/24', '10.3.0.0/24'])
    (found,) = [
        each
        for each in running_cloud.cloud.of('network', '/address-groups')
        if each['id'] == driver.physical_id(stack, 'it')
    ]
    assert found['addresses'] == ['10.2.0.0/24', '10.3.0.0/24']
    found['addresses'].append('10.4.0.0/24')
    assert 'Changed by others: it' in check(driver, stack)
    found['addresses'] = ['10.2.0.0/24', 'fd00:1::/64']
    update(driver, stack, 'AddressGroup', addresses=['10.2.0.9/24', 'FD00:0001::/64'])
    assert found['addresses'] == ['10.2.0.0/24', 'fd00:1::/64']
    assert 'Changed by others' not in check(driver, stack)
    driver.delete(stack)


def test_prefixes_that_neutron_joins_are_no_drift(running_cloud, driver, ids):
    stack = driver.create(stack_of('SubnetPool', prefixes=['10.4.0.0/16', '10.5.0.0/16']))
    [found] = [
        each
        for each in running_cloud.cloud.of('network', '/subnetpools')
        if each['id'] == driver.physical_id(stack, 'it')
    ]
    found['prefixes'] = ['10.4.0.0/15']
    assert 'Changed by others' not in check(driver, stack)
    found['prefixes'] = ['10.4.0.0/16']
    assert 'Changed by others: it' in check(driver, stack)
    driver.delete(stack)


OPTION = {'opt_name': 'mtu', 'opt_value': '1400'}
REFUSED = [
    (('Firewall', {'firewall_policy_id': 'p'}), (), 'use OS::Neutron::FirewallGroup'),
    (
        (
            'Port',
            {'network': 'a network', 'extra_dhcp_opts': [{'opt_name': 'a', 'opt_value': 'b'}]},
        ),
        ('extra_dhcp_opt',),
        'lacks the extension extra_dhcp_opt: remove the property "extra_dhcp_opts"',
    ),
    (
        ('SecurityGroup', {'rules': [{'remote_address_group_id': 'a address_group'}]}),
        ('security-groups-remote-address-group',),
        'remove the property "remote_address_group_id"',
    ),
    (('FirewallGroup', {}), ('fwaas_v2',), 'Required extension fwaas_v2'),
    (('LocalIP', {}), (), 'local_port, network'),
    (('MeteringRule', {'metering_label_id': 'm'}), (), 'remote_ip_prefix, source_ip_prefix'),
    (('BGPPeer', {'peer_ip': '10.0.0.1', 'remote_as': 1, 'auth_type': 'md5'}), (), 'password'),
    (
        ('NetworkSegmentRange', {'network_type': 'gre', 'minimum': 9, 'maximum': 8}),
        (),
        r'minimum \(9\) is greater than maximum',
    ),
]


def test_metering_rule_counts_between_two_ends(running_cloud, driver, ids):
    ends = {'source_ip_prefix': '10.0.0.0/24', 'destination_ip_prefix': '10.1.0.0/24'}
    rule = stack_of('MeteringRule', metering_label_id=ids['metering_label'], **ends)
    stack = driver.create(rule)
    assert driver.state(stack) == 'CREATE_COMPLETE'
    [found] = running_cloud.cloud.of('network', '/metering/metering-label-rules')
    assert ends.items() <= found.items()
    driver.delete(stack)


@pytest.mark.parametrize('given, without, message', REFUSED)
def test_what_neutron_cannot_do_is_refused_before_anything_is_created(
    given, without, message, running_cloud, driver, ids
):
    kind, properties = given
    cloud = running_cloud.cloud
    cloud.extensions = [each for each in cloud.extensions if each not in without]
    with pytest.raises(exception.HeatException, match=message):
        driver.create(stack_of(kind, **properties))


def test_group_without_default_rules_allows_no_egress(running_cloud, driver, ids):
    def directions():
        return sorted(each['direction'] for each in running_cloud.cloud.of('network', RULES))

    before = directions()
    stack = driver.create(stack_of('SecurityGroup', delete_default_rules=True, rules=[tcp(1)]))
    assert driver.state(stack) == 'CREATE_COMPLETE'
    assert directions() == sorted([*before, 'ingress'])
    group = driver.resource(stack, 'it')['physical_resource_id']
    running_cloud.cloud.put('network', RULES, security_group_id=group, direction='egress')
    assert 'Changed by others: it' in check(driver, stack)
    update(driver, stack, 'SecurityGroup', rules=[tcp(1)])
    assert directions() == sorted([*before, 'egress', 'egress', 'ingress'])
    driver.delete(stack)


def test_update_of_a_profile_keeps_what_others_have_added(running_cloud, driver, ids):
    def port(**profile):
        return stack_of('Port', network='a network', **{PROFILE: profile})

    stack = driver.create(port(trusted=False, removed=1))
    found = running_cloud.cloud.of('network', '/ports')[-1]
    found[PROFILE] = {**found[PROFILE], 'pci_slot': '0000:03:00.1'}
    assert 'changed by others' not in check(driver, stack)
    driver.update(stack, port(trusted=True))
    assert driver.state(stack) == 'UPDATE_COMPLETE'
    assert found[PROFILE] == {'trusted': True, 'pci_slot': '0000:03:00.1'}
    driver.delete(stack)


def test_subnet_of_the_default_pool_names_no_other(running_cloud, driver, ids):
    given = {'network': 'a network', 'use_default_subnetpool': True}
    with pytest.raises(exception.ResourcePropertyConflict, match='use_default_subnetpool, cidr'):
        driver.create(stack_of('Subnet', cidr='10.1.0.0/24', **given))
    stack = driver.create(stack_of('Subnet', **given))
    assert driver.state(stack) == 'CREATE_COMPLETE'
    driver.delete(stack)


def test_rule_with_another_description_takes_the_place_of_the_first(running_cloud, driver, ids):
    rule = {'security_group': 'a security_group', **tcp(7)}
    stack = driver.create(stack_of('SecurityGroupRule', description='one', **rule))
    first = driver.physical_id(stack, 'it')
    update(driver, stack, 'SecurityGroupRule', description='two', **rule)
    assert driver.state(stack) == 'UPDATE_COMPLETE'
    assert driver.physical_id(stack, 'it') != first
    [found] = [e for e in running_cloud.cloud.of('network', RULES) if e.get('port_range_min') == 7]
    assert found['description'] == 'two'
    driver.delete(stack)


def test_connection_of_sites_takes_the_names_of_its_parts(running_cloud, driver, ids):
    parts = {'ikepolicy_id': 'ikepolicies', 'ipsecpolicy_id': 'ipsecpolicies'}
    parts['vpnservice_id'] = 'vpnservices'
    for path in parts.values():
        running_cloud.cloud.put('network', f'/vpn/{path}', name=f'a name of {path}')
    names = {key: f'a name of {path}' for key, path in parts.items()}
    peer = {'peer_address': '192.0.2.1', 'peer_id': '192.0.2.1', 'peer_cidrs': ['10.0.0.0/24']}
    stack = driver.create(stack_of('IPsecSiteConnection', psk='secret', **peer, **names))
    assert driver.state(stack) == 'CREATE_COMPLETE'
    [connection] = running_cloud.cloud.of('network', '/vpn/ipsec-site-connections')
    for key, path in parts.items():
        assert connection[key] == running_cloud.cloud.of('network', f'/vpn/{path}')[-1]['id']
    assert check(driver, stack) == 'Stack CHECK completed successfully'
    driver.delete(stack)


def test_ike_policy_takes_the_aggressive_mode(running_cloud, driver, ids):
    stack = driver.create(stack_of('IKEPolicy', phase1_negotiation_mode='aggressive'))
    [policy] = running_cloud.cloud.of('network', '/vpn/ikepolicies')[-1:]
    assert policy['phase1_negotiation_mode'] == 'aggressive'
    driver.delete(stack)
