"""What templates say of OS::Nova::Server, and what they are told of it."""

from heat_lite.resources.openstack.neutron import port
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, CustomConstraint, Length, Range
from heat_lite.template.schema import (
    CACHE_NONE,
    any_attribute,
    boolean,
    integer,
    list_,
    list_attribute,
    map_,
    map_attribute,
    string,
    text,
)

RAW, CFNTOOLS, SOFTWARE = 'RAW', 'HEAT_CFNTOOLS', 'SOFTWARE_CONFIG'
TRANSPORTS = ('POLL_SERVER_CFN', 'POLL_SERVER_HEAT', 'POLL_TEMP_URL', 'ZAQAR_MESSAGE')
RESIZE, REPLACE, IGNORE = 'RESIZE', 'REPLACE', 'IGNORE'
REBUILD, PRESERVE = 'REBUILD', 'REBUILD_PRESERVE_EPHEMERAL'

DISK = {
    'volume_id': string('The volume.', ref='cinder.volume'),
    'snapshot_id': string('A snapshot of a volume: the server gets a volume that begins as it.', ref='cinder.snapshot'),
    'volume_size': integer('The size in GiB of the volume that is made.'),
    'delete_on_termination': boolean('Whether the volume goes with the server.'),
}

MAPPING = {'device_name': string('The name of the device in the server.', required=True), **DISK}

MAPPING_V2 = {
    'device_name': string('The name of the device in the server.'),
    'image': string(
        'An image, by name or id: the server gets a volume that begins as it.', ref='glance.image', support=support.since('7.0.0')
    ),
    'image_id': string(
        ref='glance.image', support=support.hidden('9.0.0', previous=support.deprecated('7.0.0', previous='5.0.0')), alias_of='image'
    ),
    'swap_size': integer('A disk to swap to, of so many MiB.'),
    'device_type': string('The kind of the device.', constraints=[AllowedValues(['cdrom', 'disk'])]),
    'disk_bus': string('The bus that the device is on.', constraints=[AllowedValues(['ide', 'lame_bus', 'sata', 'scsi', 'usb', 'virtio'])]),
    'boot_index': integer('Its place in the order in which the server tries to start; 0 is the first. A negative one: it never does.'),
    'ephemeral_size': integer(
        'A further disk that goes with the server, of so many GiB.', constraints=[Range(min=1)], support=support.since('8.0.0')
    ),
    'ephemeral_format': string(
        'The file system on that disk.',
        constraints=[AllowedValues(['ext2', 'ext3', 'ext4', 'xfs', 'ntfs'])],
        support=support.since('8.0.0'),
    ),
    'volume_type': string('The type of the volume that is made, by name or id.', ref='cinder.vtype', support=support.since('26.0.0')),
    **DISK,
}

#: what may be said of a port that is made for the server, as it may be of ports by themselves
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
    'network': string('The network, by name or id.', ref='neutron.network'),
    'uuid': string(ref='neutron.network', support=support.hidden('5.0.0', previous=support.deprecated('2014.1')), alias_of='network'),
    'allocate_network': string(
        'Instead of a network: "auto" makes one where there is none, "none" wants none at all.',
        update_allowed=True,
        constraints=[AllowedValues(['none', 'auto'])],
        support=support.since('9.0.0'),
    ),
    'fixed_ip': string('The address that the server gets.', constraints=[CustomConstraint('ip_addr')]),
    'port': string('A port that is there, by name or id.', ref='neutron.port'),
    'port_extra_properties': map_(
        'How the port is made; not for one that is there.', PORT, update_allowed=True, support=support.since('6.0.0')
    ),
    'subnet': string('The subnet that the address is of, by name or id.', resolves='neutron.subnet', support=support.since('5.0.0')),
    'floating_ip': string('The id of a floating IP that leads to the server.', support=support.since('6.0.0')),
    'tag': string('A name by which the server knows the device.', support=support.since('9.0.0')),
}

PROPERTIES = {
    'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
    'image': string('The image that it starts from, by name or id.', update_allowed=True, ref='glance.image'),
    'image_update_policy': string(
        'What another image means: the server is rebuilt, or replaced.',
        default=REBUILD,
        update_allowed=True,
        constraints=[AllowedValues([REBUILD, REPLACE, PRESERVE])],
    ),
    'flavor': string('The flavor, by name or id.', required=True, update_allowed=True, ref='nova.flavor'),
    'flavor_update_policy': string(
        'What another flavor means: the server is resized, or replaced.',
        default=RESIZE,
        update_allowed=True,
        constraints=[AllowedValues([RESIZE, REPLACE])],
    ),
    'block_device_mapping': list_('Volumes as its disks; the second form says more.', map_(None, MAPPING)),
    'block_device_mapping_v2': list_(
        'What its disks are: volumes, snapshots, images, space to swap to, empty ones.',
        map_(None, MAPPING_V2),
        support=support.since('2015.1'),
    ),
    'key_name': string('The key pair by which one logs in.', ref='nova.keypair'),
    'admin_user': string(
        support=support.hidden('5.0.0', previous=support.deprecated('2014.1', previous='2013.2')),
    ),
    'availability_zone': string('The availability zone that it shall live in.'),
    'security_groups': list_('The security groups of its networks, by names or ids; ports that are there have their own.', default=[]),
    'networks': list_('What it is plugged in to, in this order.', map_(None, NETWORK), update_allowed=True),
    'scheduler_hints': map_('Hints to the scheduler.'),
    'metadata': map_('Labels with values; values that are no text become JSON.', default={}, update_allowed=True),
    'user_data_format': string(
        'What user_data is: a text for cloud-init (RAW), a script that the tools of heat-cfntools find (HEAT_CFNTOOLS), or what '
        'comes before software deployments (SOFTWARE_CONFIG).',
        default=CFNTOOLS,
        constraints=[AllowedValues([CFNTOOLS, RAW, SOFTWARE])],
    ),
    'user_data_update_policy': string(
        'What other user_data means: the server is replaced, rebuilt, or left as it is.',
        default=REPLACE,
        update_allowed=True,
        constraints=[AllowedValues([REPLACE, IGNORE, REBUILD])],
        support=support.since('6.0.0'),
    ),
    'software_config_transport': string(
        'How the agent on the server gets to know what it is to do.',
        default=TRANSPORTS[0],
        update_allowed=True,
        constraints=[AllowedValues(list(TRANSPORTS))],
    ),
    'user_data': string(
        'What the server does at its first start: a text, or the id of a software configuration.', default='', update_allowed=True
    ),
    'reservation_id': string('A name for the request of a server.'),
    'config_drive': boolean('Whether the server finds metadata on a disk of its own, too.'),
    'diskConfig': string(
        'Whether the disk of the system fills that of the flavor (AUTO), or stays as the image is (MANUAL).',
        constraints=[AllowedValues(['AUTO', 'MANUAL'])],
    ),
    'personality': map_(
        'Files for the server, by their paths; the compute service knows nothing of that any more.',
        default={},
        support=support.deprecated('12.0.0'),
    ),
    'admin_pass': string('The password of the administrator of the server.', update_allowed=True),
    'tags': list_('Labels; the set is kept as it is here.', string(), update_allowed=True, support=support.since('8.0.0')),
    'deployment_swift_data': map_(
        'Where in the object storage the agent finds what it is to do, with POLL_TEMP_URL.',
        {
            'container': string('The container.', constraints=[Length(min=1)]),
            'object': string('The object.', constraints=[Length(min=1)]),
        },
        default={},
        update_allowed=True,
        support=support.since('9.0.0'),
    ),
}

ATTRIBUTES = {
    'name': text('Its name.'),
    'addresses': map_attribute(
        'Its addresses by the names and the ids of networks, each with its port, its subnets and its network.',
        support=support.SupportStatus(support.SUPPORTED, '11.0.0', previous=support.PLAIN),
    ),
    'networks': map_attribute('Its addresses by the names and the ids of networks.'),
    'first_address': any_attribute(
        support=support.hidden('5.0.0', previous=support.deprecated('2014.2', previous='2013.2')),
    ),
    'instance_name': text('The name that the hypervisor knows it by.'),
    'accessIPv4': text('The address by which others reach it.', support=support.deprecated('14.0.0', previous='2015.1')),
    'accessIPv6': text('The same in the other family.', support=support.deprecated('14.0.0', previous='2015.1')),
    'console_urls': map_attribute('The addresses of its consoles, by their kinds.', support=support.since('2015.1')),
    'tags': list_attribute('Its labels.', support=support.since('8.0.0')),
    'os_collect_config': map_attribute(
        'What the agent on the server has to know at its first start.', cache_mode=CACHE_NONE, support=support.since('9.0.0')
    ),
}
