"""OS::Octavia::Flavor, OS::Octavia::AvailabilityZone and their profiles."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.octavia.base import OctaviaObject, specs_property
from heat_lite.template.schema import (
    description_property,
    name_property,
    reference,
    string,
    switch,
)


class Flavor(OctaviaObject):
    """A flavor of load balancers."""

    resource_type = 'OS::Octavia::Flavor'
    since = '14.0.0'
    rest = Rest('octavia', '/lbaas/flavors', 'flavor')
    entity = None

    properties_schema = {
        'name': name_property(),
        'flavor_profile': reference(
            'octavia.flavorprofile', 'Flavor profile, by name or id.', required=True
        ),
        'description': description_property(default=''),
        'enabled': switch('Whether the flavor is enabled.'),
        'value_specs': specs_property('flavor'),
    }
    attributes_schema = {'flavor_profile_id': 'Id of the flavor profile.'}


class FlavorProfile(OctaviaObject):
    """A flavor profile: the data for the provider driver."""

    resource_type = 'OS::Octavia::FlavorProfile'
    since = '14.0.0'
    rest = Rest('octavia', '/lbaas/flavorprofiles', 'flavorprofile')
    entity = None

    properties_schema = {
        'name': name_property(),
        'flavor_data': string(
            'Flavor data for the provider driver, as JSON.',
            required=True,
            update_allowed=True,
            custom='json_string',
        ),
        'provider_name': string('Name of the provider of the flavor.', update_allowed=True),
        'value_specs': specs_property('flavor profile'),
    }


class AvailabilityZone(OctaviaObject):
    """An availability zone of load balancers."""

    resource_type = 'OS::Octavia::AvailabilityZone'
    since = '24.0.0'
    rest = Rest(
        'octavia',
        '/lbaas/availabilityzones',
        'availability_zone',
        id='name',
        keys='availability_zones',
    )
    entity = None

    properties_schema = {
        'name': name_property(),
        'availability_zone_profile': reference(
            'octavia.availabilityzoneprofile',
            'Availability zone profile, by name or id.',
            required=True,
        ),
        'description': description_property(default=''),
        'enabled': switch('Whether the availability zone is enabled.'),
        'value_specs': specs_property('availability zone'),
    }
    attributes_schema = {'availability_zone_profile_id': 'Id of the availability zone profile.'}


class AvailabilityZoneProfile(OctaviaObject):
    """An availability zone profile: the data for the provider driver."""

    resource_type = 'OS::Octavia::AvailabilityZoneProfile'
    since = '24.0.0'
    rest = Rest(
        'octavia',
        '/lbaas/availabilityzoneprofiles',
        'availability_zone_profile',
        keys='availability_zone_profiles',
    )
    entity = None

    properties_schema = {
        'name': name_property(),
        'availability_zone_data': string(
            'Availability zone data for the provider driver, as JSON.',
            required=True,
            update_allowed=True,
            custom='json_string',
        ),
        'provider_name': string(
            'Name of the provider of the availability zone.', update_allowed=True
        ),
        'value_specs': specs_property('availability zone profile'),
    }
