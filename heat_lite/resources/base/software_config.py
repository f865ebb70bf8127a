"""Base class of software configurations: a configuration is stored by this service and is
immutable.
"""

import contextlib

from heat_lite.common import exception
from heat_lite.common.value_types import without_none
from heat_lite.engine.resource.resource import Resource
from heat_lite.resources.base import live_state
from heat_lite.template import software
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import any_, boolean, list_, map_, string

UNGROUPED = 'Heat::Ungrouped'
_TYPE = AllowedValues(list(software.TYPES))


def group(**options):
    return string(
        'Tool on the server that applies the configuration.', default=UNGROUPED, **options
    )


#: the schemas of the inputs, outputs and options of a configuration
INPUTS_OUTPUTS_OPTIONS = {
    'inputs': list_(
        'Inputs of the configuration; each deployment supplies their values.',
        {
            'name': string('Name of the input.', required=True),
            'description': string('Human-readable description of the input.'),
            'type': string(
                'Type of the value of the input.',
                default=software.STRING,
                constraints=[_TYPE],
            ),
            'default': any_('Value of the input in deployments that supply none.'),
            'replace_on_change': boolean(
                'Whether a new value of the input replaces the deployment instead of updating it.',
                default=False,
            ),
        },
    ),
    'outputs': list_(
        'Outputs that the server reports after it has applied the configuration.',
        {
            'name': string('Name of the output.', required=True),
            'description': string('Human-readable description of the output.'),
            'type': string(
                'Type of the value of the output.',
                default=software.STRING,
                constraints=[_TYPE],
            ),
            'error_output': boolean(
                'Whether a value of the output reports an error and makes the deployment fail.',
                default=False,
            ),
        },
    ),
    'options': map_('Options for the tool on the server.'),
}


class Config(Resource):
    """A software configuration. Types override ``content``, its content."""

    default_client_name = 'heat'
    entity = 'software_configs'
    attributes_schema = {'config': 'Content of the configuration.'}

    @property
    def software(self):
        return self.stack.runtime.software(self.context)

    def content(self):
        return self.properties['config']

    def group(self):
        return self.properties['group']

    def handle_create(self):
        given = {
            key: self.properties[key]
            for key in ('inputs', 'outputs', 'options')
            if key in self.properties_schema
        }
        for key in ('inputs', 'outputs'):
            given[key] = [_complete(each, key) for each in given.get(key) or ()]
        name = self.physical_resource_name()
        made = self.software.create_config(
            self.group(), name, self.content(), **given, config_id=self.record.uuid
        )
        self.resource_id_set(made['id'])

    def find_existing(self):
        """Return the id of the stored configuration: it equals the UUID of the resource."""
        return self.record.uuid if self._find_config(self.record.uuid) else None

    def handle_delete(self):
        if self.resource_id is not None:
            with contextlib.suppress(exception.NotFound):
                self.software.delete_config(self.resource_id)

    def _find_config(self, config_id):
        try:
            return self.software.show_config(config_id)
        except exception.NotFound:
            return None

    def show(self):
        return None if self.resource_id is None else self._find_config(self.resource_id)

    def object_exists(self):
        return self.show() is not None

    def live_properties(self):
        if 'config' not in self.properties_schema:
            return None  # the content is made of other properties
        return live_state.described_values(
            self.properties_schema, {}, self.software.show_config(self.resource_id)
        )

    def resolve_attribute(self, name):
        return (self.show() or {}).get(name)


def _complete(given, key):
    """Return an input or output with the default values of what is missing."""
    made = without_none(given)
    made.setdefault('description', '')
    if key == 'inputs':
        made.setdefault('type', software.STRING)
        made.setdefault('default', None)
    return made
