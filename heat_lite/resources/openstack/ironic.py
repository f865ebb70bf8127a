"""The resource types of Ironic."""

from heat_lite.clients import errors
from heat_lite.resources.base import json_patch
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.property_rules import needs_api, one_of
from heat_lite.template.schema import (
    OURS,
    any_,
    boolean,
    boolean_attribute,
    description_property,
    integer,
    list_,
    map_,
    map_attribute,
    name_property,
    string,
    switch,
)


def _rest(path, **options):
    return Rest('ironic', path, None, id='uuid', **options)


class IronicResource(CloudResource):
    """An object of Ironic, which is updated by a JSON patch, and may be shown by its name."""

    observed_keys = {'traits': 'traits'}

    def follow_up(self, action, diff):
        """Generator: replace the traits, which have a request of their own."""
        if 'traits' in diff and not self.properties_schema['traits'].sent:
            body = {'traits': diff['traits'] or []}
            yield from self.send('PUT', f'{self.object_path()}/traits', body)

    def update_object(self, values):
        """Generator: send the JSON patch of the values that differ."""
        present = yield from self.call_with_retry(self.fetch)
        patch = json_patch.operations(present, values)
        if patch:
            yield from self.send('PATCH', self.object_path(), patch)

    def list_by_name(self, name):
        """Return the objects of the name: Ironic does not filter lists by names."""
        try:
            return [self.client().show(f'{self.collection()}/{name}')]
        except errors.NotFound:
            return []

    def unmasked(self, found, name):
        """Return an object with the stored values of what Ironic masks in a map."""
        stored, shown = self.stored_property(name) or {}, found.get(name) or {}
        masked = {key: stored[key] for key in stored if shown.get(key) == '******'}
        return {**found, name: {**shown, **masked}}


class UnnamedIronicResource(IronicResource):
    """An object without a name. Its create chooses its UUID, by which it is found again."""

    def mark_text(self):
        return self.record.uuid


class Port(IronicResource):
    """A network port of a bare metal node."""

    resource_type = 'OS::Ironic::Port'
    since = '13.0.0'
    rest = _rest('/ports', deletes_async=True)
    entity = 'port'

    properties_schema = {
        'address': string(
            'MAC address of the bare metal port.', required=True, update_allowed=True
        ),
        'category': string('Category of the port.', update_allowed=True, since=OURS),
        'description': description_property(since=OURS),
        'extra': map_('Additional metadata of the port.', update_allowed=True),
        'is_smartnic': boolean('Whether the port is a Smart NIC port.', update_allowed=True),
        'local_link_connection': map_(
            'Switch and switch port to which the port is connected.', update_allowed=True
        ),
        'node': string(
            'Bare metal node of the port, by name or id.',
            required=True,
            update_allowed=True,
            ref='ironic.node',
            wire='node_uuid',
        ),
        'physical_network': string('Physical network of the port.', update_allowed=True),
        'portgroup': string(
            'Port group of the port, by name or id.',
            update_allowed=True,
            ref='ironic.portgroup',
            wire='portgroup_uuid',
        ),
        'pxe_enabled': boolean('Whether the port is used for PXE boot.', update_allowed=True),
        'vendor': string('Vendor of the port.', update_allowed=True, since=OURS),
    }
    attributes_schema = {
        'address': 'MAC address that Ironic shows.',
        'extra': map_attribute('Additional metadata that Ironic shows.'),
        'internal_info': map_attribute('Metadata that Ironic stores for its own use.'),
        'is_smartnic': boolean_attribute('Whether Ironic shows the port as a Smart NIC port.'),
        'local_link_connection': map_attribute('Connection to the switch that Ironic shows.'),
        'node_uuid': 'UUID of the bare metal node.',
        'physical_network': 'Physical network that Ironic shows.',
        'portgroup_uuid': 'UUID of the port group.',
        'pxe_enabled': boolean_attribute('Whether Ironic uses the port for PXE boot.'),
    }

    def find_existing(self):
        """Return the port with the MAC address, which is unique."""
        found = self.client().list(
            self.collection(), 'ports', address=self.stored_property('address')
        )
        return next((each[self.rest.id] for each in found), None)


def _node_property(noun):
    return string(
        f'Bare metal node of the {noun}, by name or id.',
        required=True,
        ref='ironic.node',
        wire='node_uuid',
    )


def _extra_property():
    return map_('Additional metadata of the object.', update_allowed=True)


def _traits_property(noun):
    return list_(f'Traits of the {noun}.', string(), update_allowed=True, sent=False)


def _interface_property(noun):
    text = f'{noun.capitalize()} interface of the node. If omitted, the default of the driver.'
    return string(text, update_allowed=True)


class Node(IronicResource):
    """A bare metal node. It is enrolled; its provisioning is left to its operator."""

    resource_type = 'OS::Ironic::Node'
    since = OURS
    rest = _rest('/nodes')

    properties_schema = {
        'name': name_property(),
        'driver': string('Driver of the node.', required=True, update_allowed=True),
        'automated_clean': boolean(
            'Whether the node is cleaned by itself. If omitted, as the service does.',
            update_allowed=True,
        ),
        'bios_interface': _interface_property('bios'),
        'boot_interface': _interface_property('boot'),
        'conductor_group': string('Conductor group of the node.', update_allowed=True),
        'console_interface': _interface_property('console'),
        'deploy_interface': _interface_property('deploy'),
        'description': description_property(),
        'driver_info': map_(
            'Address, user and password of the management controller, by the names of the driver. '
            'Ironic does not show passwords.',
            update_allowed=True,
        ),
        'extra': _extra_property(),
        'firmware_interface': _interface_property('firmware'),
        'inspect_interface': _interface_property('inspect'),
        'lessee': string('Project that uses the node, by id.', update_allowed=True),
        'management_interface': _interface_property('management'),
        'network_interface': _interface_property('network'),
        'owner': string('Project that owns the node.', update_allowed=True),
        'parent_node': string(
            'Node that contains the node, by name or id.', update_allowed=True, ref='ironic.node'
        ),
        'power_interface': _interface_property('power'),
        'properties': map_(
            'Hardware of the node: cpus, memory_mb, local_gb, cpu_arch, capabilities.',
            update_allowed=True,
        ),
        'raid_interface': _interface_property('raid'),
        'rescue_interface': _interface_property('rescue'),
        'resource_class': string('Resource class of the node.', update_allowed=True),
        'shard': string('Shard of the node.', update_allowed=True),
        'storage_interface': _interface_property('storage'),
        'traits': _traits_property('node'),
        'vendor_interface': _interface_property('vendor'),
    }
    attributes_schema = {
        'power_state': 'Power state of the node.',
        'provision_state': 'Provision state of the node.',
    }

    def normalize(self, found):
        return self.unmasked(found, 'driver_info')


class PortGroup(IronicResource):
    """A group of ports of a node, which is one link for the network."""

    resource_type = 'OS::Ironic::PortGroup'
    since = OURS
    rest = _rest('/portgroups')

    properties_schema = {
        'name': name_property(),
        'node': _node_property('group'),
        'address': string('MAC address of the group.', update_allowed=True, custom='mac_addr'),
        'extra': _extra_property(),
        'mode': string('Mode of the bond, for example "802.3ad".', update_allowed=True),
        'properties': map_('Options of the bond.', update_allowed=True),
        'standalone_ports_supported': switch('Whether a port serves without the group.'),
    }


class Allocation(IronicResource):
    """An allocation: a node that is chosen by its resource class and its traits."""

    resource_type = 'OS::Ironic::Allocation'
    since = OURS
    rest = _rest(
        '/allocations',
        status='state',
        ready=('active',),
        failed=('error',),
        deletes_async=True,
    )

    properties_schema = {
        'name': name_property(),
        'candidate_nodes': list_(
            'Nodes among which one is chosen, by name or id.', string(ref='ironic.node')
        ),
        'extra': _extra_property(),
        'node': string('Node that is in use already, by name or id.', ref='ironic.node'),
        'owner': string('Project that owns the allocation.'),
        'resource_class': string('Resource class that the node must have.'),
        'traits': list_('Traits that the node must have.', string()),
    }
    property_rules = (
        one_of('resource_class', 'node'),
        needs_api('1.52'),
    )
    attributes_schema = {'node_uuid': 'UUID of the chosen node.', 'state': 'State.'}

    def is_ready(self, found):
        """Raise ResourceInError with the reason that Ironic gives."""
        return super().is_ready({**found, 'status_reason': found.get('last_error')})


def _steps_property(order):
    return list_(
        'Steps on the node.',
        {
            'interface': string(
                'Interface that takes the step, for example "bios".', required=True
            ),
            'step': string('Name of the step.', required=True),
            'args': map_('Arguments of the step.', default={}),
            order: integer(f'The {order} of the step among the others.', required=True),
        },
        required=True,
        update_allowed=True,
        min=1,
    )


class DeployTemplate(IronicResource):
    """A deploy template: steps of the deployment of each node with the trait of its name."""

    resource_type = 'OS::Ironic::DeployTemplate'
    since = OURS
    rest = _rest('/deploy_templates')

    properties_schema = {
        'name': string('Trait of the nodes: CUSTOM_ and upper case.', required=True, max=255),
        'steps': _steps_property('priority'),
        'extra': _extra_property(),
    }
    property_rules = (needs_api('1.55'),)


class Runbook(IronicResource):
    """A runbook: steps by which users clean or service nodes with the trait of its name."""

    resource_type = 'OS::Ironic::Runbook'
    since = OURS
    rest = _rest('/runbooks')

    properties_schema = {
        'name': string('Trait of the nodes: CUSTOM_ and upper case.', required=True, max=255),
        'steps': _steps_property('order'),
        'description': description_property(),
        'extra': _extra_property(),
        'owner': string('Project that owns the runbook.', update_allowed=True),
        'public': switch('Whether all projects can use the runbook.', default=False),
        'traits': _traits_property('runbook'),
    }
    property_rules = (needs_api('1.92'),)


class InspectionRule(UnnamedIronicResource):
    """An inspection rule: actions on a node whose inspection has found something."""

    resource_type = 'OS::Ironic::InspectionRule'
    since = OURS
    rest = _rest('/inspection_rules', mark='uuid')

    properties_schema = {
        'actions': list_(
            'Actions, if all conditions hold.',
            {
                'op': string('Action, for example "set-attribute".', required=True),
                'args': any_('Arguments of the action.', required=True),
            },
            required=True,
            update_allowed=True,
            min=1,
        ),
        'conditions': list_(
            'Conditions.',
            {
                'op': string('Comparison, for example "eq".', required=True),
                'args': any_('Arguments of the comparison.', required=True),
            },
            default=[],
            update_allowed=True,
        ),
        'description': description_property(),
        'phase': string('Phase of the inspection.', update_allowed=True, allowed=['main']),
        'priority': integer(
            'Rules of a higher priority come first.', default=0, update_allowed=True
        ),
        'sensitive': boolean('Whether Ironic hides actions and conditions.', default=False),
    }
    property_rules = (needs_api('1.96'),)


class Chassis(UnnamedIronicResource):
    """A chassis: a group of nodes, of no effect on them."""

    resource_type = 'OS::Ironic::Chassis'
    since = OURS
    rest = _rest('/chassis', mark='uuid')

    properties_schema = {
        'description': description_property(max=255),
        'extra': _extra_property(),
    }


class VolumeConnector(UnnamedIronicResource):
    """A volume connector: what a node, while it is powered off, has to reach remote volumes."""

    resource_type = 'OS::Ironic::VolumeConnector'
    since = OURS
    rest = _rest('/volume/connectors', mark='uuid')

    properties_schema = {
        'connector_id': string(
            'Identifier of the node, for example its IQN.', required=True, update_allowed=True
        ),
        'node': _node_property('connector'),
        'type': string(
            'Kind of the identifier.',
            required=True,
            update_allowed=True,
            allowed=['iqn', 'ip', 'mac', 'wwnn', 'wwpn', 'port', 'portgroup'],
        ),
        'extra': _extra_property(),
    }
    property_rules = (needs_api('1.32'),)


class VolumeTarget(UnnamedIronicResource):
    """A volume target: a remote volume of a node that is powered off."""

    resource_type = 'OS::Ironic::VolumeTarget'
    since = OURS
    rest = _rest('/volume/targets', mark='uuid')

    properties_schema = {
        'boot_index': integer(
            'Place of the volume in the order of boot; 0 is the first.',
            required=True,
            update_allowed=True,
            min=0,
        ),
        'node': _node_property('target'),
        'volume_id': string('Id of the volume.', required=True, update_allowed=True),
        'volume_type': string(
            'Kind of the volume, for example "iscsi".', required=True, update_allowed=True
        ),
        'extra': _extra_property(),
        'properties': map_(
            'How the volume is reached, by the names of its kind.', update_allowed=True
        ),
    }
    property_rules = (needs_api('1.32'),)

    def normalize(self, found):
        return self.unmasked(found, 'properties')
