"""OS::Keystone::Project."""

from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.schema import boolean, boolean_attribute, list_, string, text


class Project(CloudResource):
    """A project: what owns the objects of a cloud."""

    resource_type = 'OS::Keystone::Project'
    support_status = support.since('2015.1')
    rest = Rest('keystone', '/projects', 'project', update='PATCH')
    entity = 'projects'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'description': string('A text that says what it is for.', default='', update_allowed=True),
        'domain': string(
            'The domain that it belongs to, by name or id.', default='default', update_allowed=True, ref='keystone.domain', wire='domain_id'
        ),
        'enabled': boolean('Whether it can be used.', default=True, update_allowed=True),
        'parent': string(
            'The project that it is a part of, by name or id.', ref='keystone.project', support=support.since('6.0.0'), wire='parent_id'
        ),
        'tags': list_('Labels.', default=[], update_allowed=True, support=support.since('10.0.0')),
    }
    attributes_schema = {
        'domain_id': text('The id of its domain.', support=support.since('10.0.0')),
        'enabled': boolean_attribute('Whether it can be used.', support=support.since('10.0.0')),
        'is_domain': boolean_attribute('Whether it stands for a domain.', support=support.since('10.0.0')),
        'name': text('Its name.', support=support.since('10.0.0')),
        'parent_id': text('The id of the project that it is a part of.', support=support.since('10.0.0')),
    }
