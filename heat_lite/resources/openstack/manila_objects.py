"""The types of Manila for subnets of share networks, snapshots of groups, replicas of shares."""

from heat_lite.resources.base import added_object
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.property_rules import given, needs, needs_api, needs_version
from heat_lite.resources.openstack.manila import managed, refuse_other_subnet, share_property
from heat_lite.template.schema import (
    OURS,
    description_property,
    integer_attribute,
    name_property,
    parent,
    reference,
    string,
)


class ShareGroupSnapshot(CloudResource):
    """A snapshot of all shares of a group, at one moment."""

    resource_type = 'OS::Manila::ShareGroupSnapshot'
    since = OURS
    rest = managed('share_group_snapshot')

    properties_schema = {
        'name': name_property(),
        'group': string(
            'Group of the shares, by name or id.',
            required=True,
            ref='manila.share_group',
            wire='share_group_id',
        ),
        'description': description_property(),
    }
    property_rules = (needs_api('2.31'),)
    attributes_schema = {
        'created_at': 'Time at which the snapshot was created.',
        'status': 'Status of the snapshot.',
    }


class ShareNetworkSubnet(CloudResource):
    """A subnet of a share network, for the shares of an availability zone."""

    resource_type = 'OS::Manila::ShareNetworkSubnet'
    since = OURS
    rest = Rest(
        'manila',
        '/share-networks/{share_network}/subnets',
        'share_network_subnet',
        keys='share_network_subnets',
        microversion='2.51',
    )
    unique_by = ('neutron_network', 'neutron_subnet', 'availability_zone')

    properties_schema = {
        'share_network': parent('manila.share_network', 'Share network, by name or id.'),
        'availability_zone': string(
            'Availability zone of the shares. If omitted, all without a subnet of their own.'
        ),
        'neutron_network': string(
            'Neutron network, by name or id.', ref='neutron.network', wire='neutron_net_id'
        ),
        'neutron_subnet': reference('neutron.subnet', 'Neutron subnet, by name or id.'),
    }
    property_rules = (
        needs('neutron_network', 'neutron_subnet'),
        needs('neutron_subnet', 'neutron_network'),
        needs_api('2.51'),
        refuse_other_subnet,
    )
    attributes_schema = {
        'cidr': 'CIDR of the subnet.',
        'gateway': 'Gateway of the subnet.',
        'ip_version': integer_attribute('IP version of the subnet.'),
        'mtu': integer_attribute('MTU of the network.'),
        'network_type': 'Type of the network, for example "vlan".',
        'segmentation_id': integer_attribute('Segmentation id of the network.'),
    }

    def create_object(self, values):
        body = {'share-network-subnet': values}
        return (yield from self.send('POST', self.collection(), body))[self.rest.key]


class ShareReplica(added_object.AddedObject):
    """A replica of a share in another availability zone."""

    resource_type = 'OS::Manila::ShareReplica'
    since = OURS
    rest = managed('share_replica', microversion='2.72')

    properties_schema = {
        'share': share_property('replica'),
        'availability_zone': string('Availability zone of the replica.'),
        'share_network': reference(
            'manila.share_network', 'Share network of the replica, by name or id.'
        ),
    }
    property_rules = (
        needs_api('2.11'),
        needs_version('2.72', 'share_network', share_network=given),
    )
    attributes_schema = {
        'availability_zone': 'Availability zone of the replica.',
        'replica_state': 'Whether the replica is active, in sync or out of sync.',
        'status': 'Status of the replica.',
    }

    def listed(self):
        share = self.stored_property('share')
        found = self.client().list('/share-replicas', 'share_replicas', share_id=share)
        return [each['id'] for each in found]
