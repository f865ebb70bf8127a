"""The outputs of a stack: computed when they are read, or at the end of an action, and then stored.

Tests: tests/functional/test_stored_attributes.py.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from heat_lite.common import exception, status
from heat_lite.common.value_types import Value, Values
from heat_lite.engine.resource import attribute_reading
from heat_lite.template.definition import OutputDefinition
from heat_lite.template.functions import budget

if TYPE_CHECKING:
    from heat_lite.engine.stack.stack import Stack


LOG = logging.getLogger(__name__)
#: errors of one computation that are logged; a stack may have thousands
LOGGED_ERRORS = 5


class StackOutputs:
    """The outputs of a stack, as the API shows them: maps with a key, a description and a value.

    ``stored`` are the outputs at the end of the last action; None where they may change without
    one.
    """

    def __init__(self, stack: 'Stack') -> None:
        self._stack = stack
        self.stored: list[Values] | None = None

    def current(self) -> list[Values] | None:
        """Return the stored outputs; None while an action runs, or where they may change."""
        return None if self._stack.status == status.IN_PROGRESS else self.stored

    def read_all(self, seconds: float | None = None) -> list[Values]:
        """Return all outputs: the stored ones while no action runs.

        Attributes that are not read within ``seconds`` give an ``output_error``.
        """
        outputs = self.current()
        if outputs is not None:
            return outputs
        return attribute_reading.read_once(
            self.key(), lambda: _outputs(self._stack, self._definitions().values(), seconds)
        )

    def read(self, key: str, seconds: float | None = None) -> Values:
        """Return one output. Raises NotFound for an unknown key."""
        definition = self._definitions().get(key)
        if definition is None:
            raise exception.NotFound(f'Specified output key {key} not found.')
        for each in self.current() or ():
            if each['output_key'] == key:
                return each
        return _outputs(self._stack, [definition], seconds)[0]

    def describe(self) -> list[Values]:
        """Return the keys and the descriptions of all outputs; no attribute is read."""
        return [_described(definition) for definition in self._definitions().values()]

    def foreseen(self) -> Values:
        """Return ``{key: value}`` with Unknowns for what the action will change.

        An output that cannot be computed is None.
        """
        seconds = self._stack.limits.attribute_timeout
        with attribute_reading.begun(seconds), budget.fresh(budget.limits.outputs):
            return {key: self._foreseen(each) for key, each in self._definitions().items()}

    def _foreseen(self, definition: OutputDefinition) -> Value:
        try:
            return definition.result(self._stack.scope)
        except Exception as error:  # of the template or of a service, as in ``_output``
            name = definition.name
            LOG.info('%s: output %s: %s', self._stack, name, self._stack.redact(error))
            return None

    def key(self) -> attribute_reading.Key:
        """Return the key by which simultaneous readers share one computation."""
        return str(self._stack.id), f'outputs of {self._stack.name}'

    def store(self) -> None:
        """Store the outputs, except changing ones, and the attributes that have been read, with
        the journal's next turn.
        """
        stack, definitions = self._stack, self._definitions().values()
        self.stored = None
        if _change_at_any_time(stack):
            _read_slow(stack, definitions)
        else:
            self.stored = _outputs(stack, definitions)
        stack.journal.stack(outputs=self.stored)
        for item in stack.loaded_resources():
            item.store_attributes()

    def _definitions(self) -> dict[str, OutputDefinition]:
        return self._stack.bound.outputs


def _outputs(
    stack: 'Stack', definitions: Collection[OutputDefinition], seconds: float | None = None
) -> list[Values]:
    with attribute_reading.begun(seconds) as reading, budget.fresh(budget.limits.outputs):
        if stack.action != status.DELETE:
            reading.start(_slow_reads(stack, definitions))
        outputs = [_output(stack, definition) for definition in definitions]
    _log_errors(stack, outputs)
    return outputs


def _log_errors(stack: 'Stack', outputs: list[Values]) -> None:
    failed = [each for each in outputs if 'output_error' in each]
    for each in failed[:LOGGED_ERRORS]:
        LOG.info('%s: output %s: %s', stack, each['output_key'], each['output_error'])
    if len(failed) > LOGGED_ERRORS:
        LOG.info('%s: %d more outputs have errors', stack, len(failed) - LOGGED_ERRORS)


def _read_slow(stack: 'Stack', definitions: Collection[OutputDefinition]) -> None:
    """Read the attributes that services answer, so that they can be stored."""
    with attribute_reading.begun() as reading:
        reads = list(_slow_reads(stack, definitions))
        reading.start(reads)
        for _, read in reads:
            read()


def _slow_reads(
    stack: 'Stack', definitions: Iterable[OutputDefinition]
) -> Iterator[tuple[list[attribute_reading.Key], Callable[[], Value]]]:
    """Yield reads of the attributes that services answer (see ``AttributeReading.start``)."""
    wanted: dict[str, set] = {}
    for definition in definitions:
        for name, paths in definition.attribute_reads().items():
            wanted.setdefault(name, set()).update(path[0] for path in paths if path)
    for name, attributes in wanted.items():
        item = stack.scope.find(name)
        if item is not None and item.action != status.INIT:
            yield from item.slow_reads(sorted(attributes, key=str))


def _output(stack: 'Stack', definition: OutputDefinition) -> Values:
    """Return one output. An error goes to its ``output_error``."""
    result = {**_described(definition), 'output_value': None}
    if stack.action == status.DELETE:
        return result
    try:
        value = definition.result(stack.shown_scope if stack.foresight else stack.scope)
        budget.charge_text('outputs', budget.count_characters(value))
        result['output_value'] = value
    except Exception as error:
        # Heat's public tests compare the text; a preview gives the advice, too.
        advice = '' if stack.foresight else getattr(error, 'hint', '')
        result['output_error'] = stack.redact(error).removesuffix(advice)
    return result


def _described(definition: OutputDefinition) -> Values:
    return {
        'output_key': definition.name,
        'description': definition.description or 'No description given',
    }


def _change_at_any_time(stack: 'Stack') -> bool:
    """Return whether an output may change while no action runs: then each request computes it."""
    return any(
        _may_change(stack, name, paths)
        for definition in stack.bound.outputs.values()
        for name, paths in definition.attribute_reads().items()
    )


def _may_change(stack: 'Stack', name: str, paths: Iterable[tuple]) -> bool:
    definition = stack.definitions.get(name)
    if definition is None:
        return False
    cls = stack.class_of(definition)
    return cls.signals_change_attributes or any(cls.is_live_attribute(path) for path in paths)
