"""OS::Nova::Flavor."""

from heat_lite.resources.base import object_types
from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.named_object import DeletedFirst
from heat_lite.template.schema import (
    OURS,
    boolean,
    boolean_attribute,
    description_property,
    integer,
    list_,
    map_,
    map_attribute,
    name_property,
    number,
    string,
)


class NovaFlavor(DeletedFirst):
    """A flavor: the virtual hardware of a server."""

    resource_type = 'OS::Nova::Flavor'
    since = '2014.2'
    rest = Rest('nova', '/flavors', 'flavor')
    entity = 'flavors'

    sole = ('name', 'flavorid')

    properties_schema = {
        'name': name_property(update_allowed=False, since='7.0.0'),
        'ram': integer('Memory in MiB.', required=True),
        'vcpus': integer('Number of virtual CPUs.', required=True),
        'description': description_property(since=OURS),
        'disk': integer('Size of the root disk in GiB.', default=0),
        'ephemeral': integer(
            'Size of the ephemeral disk in GiB.', default=0, wire='OS-FLV-EXT-DATA:ephemeral'
        ),
        'extra_specs': map_(
            'Extra specs: key-value pairs for the scheduler and the driver.',
            update_allowed=True,
            sent=False,
        ),
        'flavorid': string(
            'Id of the flavor. If omitted, Nova generates one.', since='7.0.0', wire='id'
        ),
        'is_public': boolean(
            'Whether all projects can use the flavor.',
            default=True,
            since='6.0.0',
            wire='os-flavor-access:is_public',
        ),
        'rxtx_factor': number('Factor of the network bandwidth.', default=1.0),
        'swap': integer('Size of the swap disk in MiB.', default=0),
        'tenants': list_(
            'Projects that can use a private flavor, by name or id.',
            string(ref='keystone.project'),
            default=[],
            update_allowed=True,
            since='8.0.0',
            sent=False,
        ),
    }
    attributes_schema = {
        'extra_specs': map_attribute('Extra specs of the flavor.', since='7.0.0'),
        'is_public': boolean_attribute(
            'Whether the flavor is public.', since='6.0.0', wire='os-flavor-access:is_public'
        ),
    }

    parts = ('extra_specs', 'tenants')

    def fetch_part(self, name):
        if name == 'extra_specs':
            return self.client().show(f'{self.object_path()}/os-extra_specs', 'extra_specs')
        return object_types.fetch_access(self, 'os-flavor-access', 'flavor_access', 'tenant')

    def follow_up(self, action, diff):
        specs = diff.get('extra_specs')
        if specs:
            diff = {**diff, 'extra_specs': {name: str(value) for name, value in specs.items()}}
        yield from object_types.update_specs(self, action, diff, 'extra_specs', 'os-extra_specs')
        yield from object_types.update_access(self, action, diff, 'tenants', 'tenant')

    def resolve_attribute(self, name):
        return self.fetch_part(name) if name in self.parts else super().resolve_attribute(name)


class FlavorAccess(object_types.TypeAccess):
    """The access of a project to a private flavor."""

    resource_type = 'OS::Nova::FlavorAccess'
    since = OURS
    default_client_name = 'nova'
    path = '/flavors/{type}/os-flavor-access'
    list_key = 'flavor_access'
    noun = 'tenant'

    properties_schema = object_types.access_properties('nova.flavor', 'flavor')
