"""Properties that earlier versions have stored, brought into Heat's form before a give-back.

They hold a value for each property of the type: defaults, None, and ids in the place of names. Heat
compares them with what the template gives, and would replace resources that have not changed.
"""

import typing
from collections.abc import Mapping

from heat_lite.common import context as request_context
from heat_lite.common import exception
from heat_lite.common.value_types import Row, Values
from heat_lite.db import stacks as db_stacks
from heat_lite.db.heat_database import give_back
from heat_lite.engine import service as engine_service
from heat_lite.engine.cluster import takeover
from heat_lite.engine.stack.stack import Stack
from heat_lite.rpc import messaging
from heat_lite.startup import global_environment
from heat_lite.template import function

#: stacks that are read and stored at a time
BATCH = 500


def reduce_all(conf: typing.Any) -> int:
    """Reduce the properties of all stacks to what their templates give; return their number.

    It can be repeated after an interruption.
    """
    messaging.setup(conf)
    registry = global_environment.build_registry(conf)
    runtime = engine_service.EngineService(conf, registry).runtime
    return reduce_stacks(runtime)


def reduce_stacks(runtime: typing.Any) -> int:
    """Do the same with the resource types of ``runtime``."""
    context = request_context.admin_context()
    count = 0
    last: str | None = ''
    while last is not None:
        ids, last = give_back.stacks_with_defaults(last, BATCH)
        changed = {}
        for stack_id in ids:
            row = db_stacks.get(context, stack_id)
            if row is not None:
                owner = takeover.context_of_owner(row)
                changed.update(_reduced(Stack.from_row(runtime, owner, row)))
        give_back.store_properties(changed)
        count += len(changed)
    return count


def _reduced(stack: Row) -> typing.Any:
    """Return ``{id of the stored properties: values}`` of what has values that are not given."""
    found = {}
    for row in stack.records.all():
        if not row.properties:
            continue
        try:
            given = stack.resource_of(row).definition.properties or {}
        except exception.ResourceNotFound:
            continue  # its definition is in none of the templates: Heat deletes it as well
        if row.properties.keys() - given.keys():
            found[row.prop_data_id] = _given_values(given, row.properties)
    return found


def _given_values(given: Mapping[str, typing.Any], stored: Mapping[str, typing.Any]) -> Values:
    """Return the values of the template; of its functions, the stored results."""
    values = {}
    for name, value in given.items():
        has_functions = next(function.nodes(value), None) is not None
        values[name] = stored.get(name) if has_functions else value
    return {name: value for name, value in values.items() if value is not None}
