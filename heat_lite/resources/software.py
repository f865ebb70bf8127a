"""What the types of software configurations have in common: each is kept by this service, and never changes."""

from heat_lite.common import exception
from heat_lite.engine.resource import Resource
from heat_lite.template import software
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import any_, boolean, list_, map_, string, text

UNGROUPED = 'Heat::Ungrouped'
_TYPE = AllowedValues(list(software.TYPES))


def group(since=None):
    return string('The tool on the server that the configuration is meant for.', default=UNGROUPED, support=since)


def inputs_outputs_options():
    """The properties of configurations that take and tell something."""
    return {
        'inputs': list_(
            'What the configuration is told by each deployment.',
            map_(
                None,
                {
                    'name': string('The name of the input.', required=True),
                    'description': string('What it is for.'),
                    'type': string('The type of its value.', default=software.STRING, constraints=[_TYPE]),
                    'default': any_('The value where a deployment gives none.'),
                    'replace_on_change': boolean('Whether another value asks for a new deployment instead of an update.', default=False),
                },
            ),
        ),
        'outputs': list_(
            'What the server tells when the configuration has been applied.',
            map_(
                None,
                {
                    'name': string('The name of the output.', required=True),
                    'description': string('What it tells.'),
                    'type': string('The type of its value.', default=software.STRING, constraints=[_TYPE]),
                    'error_output': boolean('Whether it tells of an error, so that the deployment fails where it is given.', default=False),
                },
            ),
        ),
        'options': map_('What the tool on the server wants to know besides.'),
    }


class Config(Resource):
    """Overridden: ``content``, which is the configuration itself."""

    default_client_name = 'heat'
    entity = 'software_configs'
    attributes_schema = {'config': text('The configuration itself.')}

    @property
    def software(self):
        return self.stack.runtime.software(self.context)

    def content(self):
        return self.properties['config']

    def group(self):
        return self.properties['group']

    def handle_create(self):
        given = {key: self.properties[key] for key in ('inputs', 'outputs', 'options') if key in self.properties_schema}
        for key in ('inputs', 'outputs'):
            given[key] = [_complete(each, key) for each in given.get(key) or ()]
        name = self.physical_resource_name()
        made = self.software.create_config(self.group(), name, self.content(), **given, config_id=self.record.uuid)
        self.resource_id_set(made['id'])

    def find_existing(self):
        """The configuration is known by the id of its resource before it is made."""
        return self.record.uuid if self._shown(self.record.uuid) else None

    def handle_delete(self):
        if self.resource_id is not None and self._shown(self.resource_id):
            self.software.delete_config(self.resource_id)

    def _shown(self, config_id):
        try:
            return self.software.show_config(config_id)
        except exception.NotFound:
            return None

    def show(self):
        return None if self.resource_id is None else self._shown(self.resource_id)

    def resolve_attribute(self, name):
        return (self.show() or {}).get(name)


def _complete(given, key):
    """An input or output of a template has a description and a default, if only empty ones."""
    made = {name: value for name, value in given.items() if value is not None}
    made.setdefault('description', '')
    if key == 'inputs':
        made.setdefault('type', software.STRING)
        if 'default' not in made:
            made['default'] = software.NOTHING[made['type']]
    return made
