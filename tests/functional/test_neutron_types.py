"""Updates of Neutron types: an engine against a fake cloud over HTTP."""

from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401

# ruff: noqa: F811 - fixtures are arguments

PROFILE = 'binding:profile'


def stack_of(kind, **properties):
    return {'resources': {'it': {'type': f'OS::Neutron::{kind}', 'properties': properties}}}


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
