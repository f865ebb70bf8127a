"""The resource types of Keystone for endpoints in the catalogs of some projects."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.named_object import Relation
from heat_lite.resources.base.property_rules import for_each, one_of
from heat_lite.template.schema import (
    OURS,
    description_property,
    map_,
    name_property,
    reference,
    string,
)


class EndpointGroup(CloudResource):
    """An endpoint group: endpoints that are in the catalogs of some projects only."""

    resource_type = 'OS::Keystone::EndpointGroup'
    since = OURS
    rest = Rest('keystone', '/OS-EP-FILTER/endpoint_groups', 'endpoint_group', update='PATCH')

    properties_schema = {
        'name': name_property(),
        'filters': map_(
            'What the endpoints have in common.',
            {
                'interface': string(
                    'Interface of the endpoints.', allowed=['public', 'internal', 'admin']
                ),
                'region': reference('keystone.region', 'Region of the endpoints, by id.'),
                'service': reference(
                    'keystone.service', 'Service of the endpoints, by name or id.'
                ),
            },
            required=True,
            update_allowed=True,
        ),
        'description': description_property(),
    }
    property_rules = (for_each('filters', one_of('interface', 'region', 'service')),)


class EndpointGroupProject(Relation):
    """A project whose catalog has the endpoints of a group."""

    resource_type = 'OS::Keystone::EndpointGroupProject'
    since = OURS
    default_client_name = 'keystone'
    path = '/OS-EP-FILTER/endpoint_groups/{endpoint_group}/projects/{project}'

    properties_schema = {
        'endpoint_group': string(
            'Endpoint group, by name or id.', required=True, ref='keystone.endpoint_group'
        ),
        'project': string('Project, by name or id.', required=True, ref='keystone.project'),
    }
