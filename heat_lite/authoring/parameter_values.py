"""The parameters that a template declares, and their values: ``heat-lite validate``.

The service validates a template as Heat does: it reads no value of a parameter.
"""

from collections.abc import Mapping

from heat_lite.authoring import located_errors
from heat_lite.cli.errors import CommandError
from heat_lite.common import exception
from heat_lite.common.value_types import Value
from heat_lite.template import checks, reader, source_positions
from heat_lite.template.parameters.parameter_schema import ParameterSchema
from heat_lite.template.parameters.parameters import HIDDEN_TEXT, Parameters
from heat_lite.template.template import Template

#: what a template of a user can raise
READ_ERRORS = (exception.HeatException, ValueError, TypeError)
SECTIONS = ('parameters', 'Parameters')


def check(name: str, body: Mapping[str, Value]) -> None:
    """Raise CommandError, at a place of the template ``name``, for an invalid value in a request.

    The template is valid. Parameters without value are left out, and custom constraints, which
    only a cloud can check.
    """
    environment = body.get('environment') or {}
    given = {**(environment.get('parameters') or {}), **body['parameters']}
    defaults = environment.get('parameter_defaults') or {}
    for each, schema in schemata(body['template']).items():
        value = given.get(each, defaults.get(each))
        if value is not None:
            _check_value(name, body['template'], schema, value)


def schemata(text: str) -> Mapping[str, ParameterSchema]:
    """Return the parameters of a template; none of an invalid one."""
    try:
        return Template(reader.parse(text)).parameter_schemata
    except READ_ERRORS:
        return {}


def _check_value(template: str, text: str, schema: ParameterSchema, value: Value) -> None:
    try:
        Parameters({schema.name: schema}, {schema.name: value}).validate()
    except READ_ERRORS as error:
        message = checks.message_of(error)
        if schema.hidden:
            message = message.replace(str(value), HIDDEN_TEXT)
        for section in SECTIONS:
            place = source_positions.locate_in_text(template, text, (section, schema.name), True)
            if place is not None:
                raise located_errors.located(*place, message, text) from None
        raise CommandError(message) from None
