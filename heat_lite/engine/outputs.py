"""Outputs of a stack. While no action works on it they are worked out once and kept, unless they go on changing."""

import logging

from heat_lite.common import status

LOG = logging.getLogger(__name__)


def values(stack):
    """All outputs, as the API shows them."""
    return [_output(stack, definition) for definition in stack.bound.outputs.values()]


def stored(stack):
    """The outputs as they are to be kept; None where signals may change them at any time, so that each reader must work them out."""
    if any(_changes(stack, name) for definition in stack.bound.outputs.values() for name in definition.reads()):
        return None
    return values(stack)


def _output(stack, definition):
    """One output; an error becomes its ``output_error``, never the caller's."""
    result = {'output_key': definition.name, 'description': definition.description or 'No description given', 'output_value': None}
    if stack.action == status.DELETE:
        return result
    try:
        result['output_value'] = definition.result(stack.scope)
    except Exception as error:
        LOG.info('%s: output %s: %s', stack, definition.name, error)
        result['output_error'] = str(error)
    return result


def _changes(stack, name):
    definition = stack.definitions.get(name)
    return definition is not None and stack.class_of(definition).signals_change_attributes
