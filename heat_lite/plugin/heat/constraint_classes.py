"""The custom constraints of Heat's client plug-ins, which plug-ins of third parties subclass.

Each is a row: its class name, the kind of object that it looks up. A subclass may set
``resource_client_name`` and ``resource_getter_name``, or ``resource_name`` for a kind of Neutron.
"""

import functools
from typing import Any

from heat_lite.common import exception
from heat_lite.common.value_types import Value
from heat_lite.plugin import constraints
from heat_lite.plugin.heat.service_plugins import HeatContext

#: ``{module below heat.engine.clients.os: {class name: kind of object}}``
KINDS = {
    'barbican': {
        'SecretConstraint': 'barbican.secret',
        'ContainerConstraint': 'barbican.container',
    },
    'cinder': {
        'VolumeConstraint': 'cinder.volume',
        'VolumeSnapshotConstraint': 'cinder.snapshot',
        'VolumeTypeConstraint': 'cinder.vtype',
        'VolumeBackupConstraint': 'cinder.backup',
        'QoSSpecsConstraint': 'cinder.qos_specs',
    },
    'designate': {'DesignateZoneConstraint': 'designate.zone'},
    'glance': {'ImageConstraint': 'glance.image'},
    'keystone.keystone_constraints': {
        f'Keystone{name.title()}Constraint': f'keystone.{name}'
        for name in ('role', 'domain', 'project', 'group', 'service', 'user', 'region')
    },
    'mistral': {'WorkflowConstraint': 'mistral.workflow'},
    'neutron.neutron_constraints': {
        'NetworkConstraint': 'neutron.network',
        'PortConstraint': 'neutron.port',
        'RouterConstraint': 'neutron.router',
        'SubnetConstraint': 'neutron.subnet',
        'SubnetPoolConstraint': 'neutron.subnetpool',
        'SecurityGroupConstraint': 'neutron.security_group',
        'AddressScopeConstraint': 'neutron.address_scope',
        'QoSPolicyConstraint': 'neutron.qos_policy',
        'PortPairConstraint': 'neutron.port_pair',
        'PortPairGroupConstraint': 'neutron.port_pair_group',
        'FlowClassifierConstraint': 'neutron.flow_classifier',
    },
    'nova': {
        'ServerConstraint': 'nova.server',
        'KeypairConstraint': 'nova.keypair',
        'FlavorConstraint': 'nova.flavor',
        'HostConstraint': 'nova.host',
    },
    'zaqar': {'QueueConstraint': 'zaqar.queue'},
}


class BaseCustomConstraint(constraints.BaseCustomConstraint):
    """Base of custom constraints: ``validate_with_client`` gets the clients of Heat."""

    requesting_context = HeatContext
    expected_exceptions = (
        exception.EntityNotFound,
        exception.NotFound,
        *constraints.BaseCustomConstraint.expected_exceptions,
    )


class KindConstraint(BaseCustomConstraint):
    """A constraint on the id or name of an object of one kind."""

    kind = ''

    def validate_with_client(self, clients: Any, value: Value) -> None:
        if self.resource_getter_name is not None:
            super().validate_with_client(clients, value)
        else:
            clients.find(self.kind, value)


class NeutronConstraint(BaseCustomConstraint):
    """A constraint on the id or name of an object of Neutron; ``resource_name`` is its kind.

    ``extension`` is the alias of an extension of Neutron that must be there.
    """

    resource_name: str | None = None
    cmd_resource: str | None = None
    extension: str | None = None

    def validate_with_client(self, clients: Any, value: Value) -> None:
        plugin = clients.client_plugin('neutron')
        if self.extension is not None and not plugin.has_extension(self.extension):
            raise exception.EntityNotFound(entity='neutron extension', name=self.extension)
        plugin.find_resourceid_by_name_or_id(self.resource_name, value, self.cmd_resource)


class NeutronExtConstraint(NeutronConstraint):
    """A constraint on an object of Neutron that exists only with an ``extension``."""


def _neutron_class(name: str, kind: str) -> type:
    return type(name, (NeutronConstraint,), {'resource_name': kind.partition('.')[2]})


def _class(module: str, name: str, kind: str) -> type:
    if module == 'neutron.neutron_constraints':
        return _neutron_class(name, kind)
    client = kind.partition('.')[0]
    return type(name, (KindConstraint,), {'kind': kind, 'resource_client_name': client})


@functools.cache
def modules() -> dict[str, dict[str, type]]:
    """Return ``{module below heat.engine.clients.os: {class name: class}}``."""
    found = {
        module: {name: _class(module, name, kind) for name, kind in kinds.items()}
        for module, kinds in KINDS.items()
    }
    bases = {'NeutronConstraint': NeutronConstraint, 'NeutronExtConstraint': NeutronExtConstraint}
    found['neutron.neutron_constraints'] |= bases
    return found
