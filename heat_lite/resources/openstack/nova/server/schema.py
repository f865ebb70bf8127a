"""The schemas of the properties and attributes of OS::Nova::Server."""

from heat_lite.resources.base.software_config_agent import swift_data_property
from heat_lite.resources.openstack.neutron import port
from heat_lite.template.schema import (
    CACHE_NONE,
    OURS,
    alias,
    any_attribute,
    boolean,
    description_property,
    integer,
    list_,
    list_attribute,
    map_,
    map_attribute,
    name_property,
    reference,
    string,
    text,
)

RAW, CFNTOOLS, SOFTWARE = 'RAW', 'HEAT_CFNTOOLS', 'SOFTWARE_CONFIG'
TRANSPORTS = ('POLL_SERVER_CFN', 'POLL_SERVER_HEAT', 'POLL_TEMP_URL', 'ZAQAR_MESSAGE')
RESIZE, REPLACE, IGNORE = 'RESIZE', 'REPLACE', 'IGNORE'
REBUILD, PRESERVE = 'REBUILD', 'REBUILD_PRESERVE_EPHEMERAL'

DISK = {
    'volume_id': reference('cinder.volume', 'Volume to attach, by name or id.'),
    'snapshot_id': reference(
        'cinder.snapshot',
        'Volume snapshot, by name or id. A new volume is created from it and attached.',
    ),
    'volume_size': integer('Size of the new volume in GiB.'),
    'delete_on_termination': boolean('Whether the volume is deleted with the server.'),
}

MAPPING = {
    'device_name': string('Device name on the server, for example "vda".', required=True),
    **DISK,
}

MAPPING_V2 = {
    'device_name': string('Device name on the server. Nova chooses one if it is omitted.'),
    'image': string(
        'Image, by name or id. A new volume is created from it and attached.',
        ref='glance.image',
        since='7.0.0',
    ),
    'image_id': alias('image', 'glance.image', 'hidden 9.0.0, deprecated 7.0.0, supported 5.0.0'),
    'swap_size': integer('Size of a swap disk in MiB.'),
    'device_type': string('Device type: disk or cdrom.', allowed=['cdrom', 'disk']),
    'disk_bus': string(
        'Bus of the device.', allowed=['ide', 'lame_bus', 'sata', 'scsi', 'usb', 'virtio']
    ),
    'boot_index': integer(
        'Position of the disk in the boot order; 0 is the boot disk, a negative number '
        'excludes the disk.'
    ),
    'ephemeral_size': integer('Size of an ephemeral disk in GiB.', min=1, since='8.0.0'),
    'ephemeral_format': string(
        'File system of the ephemeral disk.',
        allowed=['ext2', 'ext3', 'ext4', 'xfs', 'ntfs'],
        since='8.0.0',
    ),
    'volume_type': string(
        'Type of the new volume, by name or id.', ref='cinder.vtype', since='26.0.0'
    ),
    **DISK,
}

#: properties of the port that is created for the server, as in OS::Neutron::Port
PORT = {
    name: port.Port.properties_schema[name]
    for name in (
        'admin_state_up',
        'allowed_address_pairs',
        'binding:vnic_type',
        'mac_address',
        'no_fixed_ips',
        'port_security_enabled',
        'propagate_uplink_status',
        'qos_policy',
        'value_specs',
    )
}

NETWORK = {
    'network': string('Network to attach, by name or id.', ref='neutron.network'),
    'uuid': alias('network', 'neutron.network', 'hidden 5.0.0, deprecated 2014.1'),
    'allocate_network': string(
        'Allocation instead of a network: "auto" lets Nova choose or create a network, "none"'
        ' attaches no network.',
        update_allowed=True,
        allowed=['none', 'auto'],
        since='9.0.0',
    ),
    'fixed_ip': string('Fixed IP address of the server on the network.', custom='ip_addr'),
    'port': string('Existing port to attach, by name or id.', ref='neutron.port'),
    'port_extra_properties': map_(
        'Further properties of the port that is created for the server. Existing ports are '
        'not changed.',
        PORT,
        update_allowed=True,
        since='6.0.0',
    ),
    'subnet': string(
        'Subnet of the fixed IP address of the server, by name or id.',
        resolves='neutron.subnet',
        since='5.0.0',
    ),
    'floating_ip': string('Id of the floating IP to associate with the port.', since='6.0.0'),
    'tag': string('Tag of the interface, shown in the metadata of the server.', since='9.0.0'),
}

PROPERTIES = {
    'name': name_property(),
    'image': string('Image of the server, by name or id.', update_allowed=True, ref='glance.image'),
    'image_update_policy': string(
        'Policy for a change of the image: rebuild the server, or replace it.',
        default=REBUILD,
        update_allowed=True,
        allowed=[REBUILD, REPLACE, PRESERVE],
    ),
    'flavor': string(
        'Flavor of the server, by name or id.',
        required=True,
        update_allowed=True,
        ref='nova.flavor',
    ),
    'flavor_update_policy': string(
        'Policy for a change of the flavor: resize the server, or replace it.',
        default=RESIZE,
        update_allowed=True,
        allowed=[RESIZE, REPLACE],
    ),
    'block_device_mapping': list_(
        'Block devices of the server, in the older format of Nova: volumes and volume '
        'snapshots only.',
        MAPPING,
    ),
    'block_device_mapping_v2': list_(
        'Block devices of the server: volumes, snapshots, images, swap and ephemeral disks.',
        MAPPING_V2,
        since='2015.1',
    ),
    'key_name': string('Name of the key pair that is installed on the server.', ref='nova.keypair'),
    'admin_user': string(history='hidden 5.0.0, deprecated 2014.1, supported 2013.2'),
    'availability_zone': string('Availability zone in which the server is created.'),
    'security_groups': list_(
        'Security groups of the server, by name or id. They do not apply to existing ports.',
        default=[],
        update_allowed=True,
    ),
    'networks': list_(
        'Networks of the server, in the order of its interfaces.',
        NETWORK,
        update_allowed=True,
    ),
    'scheduler_hints': map_('Scheduler hints for the placement of the server.'),
    'metadata': map_(
        'Metadata of the server. Values that are not strings are stored as JSON.',
        default={},
        update_allowed=True,
    ),
    'user_data_format': string(
        'Format of user_data: RAW sends the text unchanged, HEAT_CFNTOOLS wraps it for the '
        'tools of heat-cfntools, SOFTWARE_CONFIG prepares the server for software '
        'deployments.',
        default=CFNTOOLS,
        allowed=[CFNTOOLS, RAW, SOFTWARE],
    ),
    'user_data_update_policy': string(
        'Policy for a change of user_data: replace the server, rebuild it, or ignore the change.',
        default=REPLACE,
        update_allowed=True,
        allowed=[REPLACE, IGNORE, REBUILD],
        since='6.0.0',
    ),
    'software_config_transport': string(
        'Transport by which the agent on the server polls for its metadata.',
        default=TRANSPORTS[0],
        update_allowed=True,
        allowed=list(TRANSPORTS),
    ),
    'user_data': string(
        'User data script, or id of a software config that contains it.',
        default='',
        update_allowed=True,
    ),
    'reservation_id': string('Reservation id of the request. Nova does not use it.'),
    'config_drive': boolean('Whether the server gets a config drive.'),
    'diskConfig': string(
        'Size of the root partition: AUTO grows it to the size in the flavor, MANUAL keeps '
        'the size in the image.',
        allowed=['AUTO', 'MANUAL'],
    ),
    'personality': map_(
        'Files to inject, as a map of paths to contents. Nova no longer supports this.',
        default={},
        history='deprecated 12.0.0',
    ),
    'admin_pass': string('Administrator password of the server.', update_allowed=True),
    'tags': list_(
        'Tags of the server. An update replaces the whole set.',
        string(),
        update_allowed=True,
        since='8.0.0',
    ),
    'access_ip_v4': string(
        'IPv4 address by which others reach the server, as lists show it.',
        update_allowed=True,
        custom='ip_addr',
        since=OURS,
        wire='accessIPv4',
    ),
    'access_ip_v6': string(
        'IPv6 address by which others reach the server, as lists show it.',
        update_allowed=True,
        custom='ip_addr',
        since=OURS,
        wire='accessIPv6',
    ),
    'description': description_property(max=255, since=OURS),
    'hostname': string(
        'Host name in the metadata of the server. If omitted, Nova makes one of the name.',
        update_allowed=True,
        min=1,
        max=255,
        since=OURS,
        wire='OS-EXT-SRV-ATTR:hostname',
    ),
    'host': string('Host of the server. Requires administrator rights.', since=OURS),
    'hypervisor_hostname': string(
        'Host name of the hypervisor of the server. Requires administrator rights.', since=OURS
    ),
    'locked': boolean(
        'Whether Nova refuses actions on the server to all but administrators, also the '
        'attachments of other resources. The stack unlocks the server for its own actions.',
        update_allowed=True,
        since=OURS,
    ),
    'locked_reason': string(
        'Reason of the lock, as Nova shows it.', update_allowed=True, max=255, since=OURS
    ),
    'trusted_image_certificates': list_(
        'Ids of the certificates with which the signature of the image is verified.',
        string(),
        since=OURS,
    ),
    'deployment_swift_data': swift_data_property(
        'Swift object from which the agent polls its metadata, for the transport POLL_TEMP_URL.'
    ),
}

ATTRIBUTES = {
    'name': 'Name of the server.',
    'addresses': map_attribute(
        'Addresses by network name and by network id, each with its port, subnets and network.',
        history='supported 11.0.0, supported',
    ),
    'networks': map_attribute('IP addresses by network name and by network id.'),
    'first_address': any_attribute(history='hidden 5.0.0, deprecated 2014.2, supported 2013.2'),
    'instance_name': 'Name of the server in its hypervisor.',
    'accessIPv4': text(
        'Public IPv4 address of the server.', history='deprecated 14.0.0, supported 2015.1'
    ),
    'accessIPv6': text(
        'Public IPv6 address of the server.', history='deprecated 14.0.0, supported 2015.1'
    ),
    'console_urls': map_attribute(
        'URLs of the consoles of the server, by console type.', since='2015.1'
    ),
    'tags': list_attribute('Tags that Nova shows for the server.', since='8.0.0'),
    'os_collect_config': map_attribute(
        'Configuration of os-collect-config on the server.',
        cache_mode=CACHE_NONE,
        since='9.0.0',
    ),
}
