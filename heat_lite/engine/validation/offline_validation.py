"""Resource types validate the resources of a template without a database, cloud or network.

The linter uses it, in a service and without one.

Tests: tests/unit/authoring/test_lint.py.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence

from heat_lite.common import context, exception
from heat_lite.common.value_types import Value
from heat_lite.engine import runtime
from heat_lite.engine.registry import Registry
from heat_lite.engine.runtime import Runtime
from heat_lite.engine.stack.nested_stack_view import NestedStackView
from heat_lite.engine.stack.stack import Stack
from heat_lite.engine.stack.stack_definition import Foresight
from heat_lite.engine.type_catalog import TypeCatalog
from heat_lite.engine.validation import validation
from heat_lite.engine.validation.validation import ValidationPass
from heat_lite.template import constraints, resource_registry
from heat_lite.template.definition import ResourceDefinition
from heat_lite.template.functions import refs
from heat_lite.template.lint.document import TemplateDocument
from heat_lite.template.resource_registry import Resolution
from heat_lite.template.template import Template

VALIDATION_ERRORS = (
    exception.StackValidationFailed,
    exception.ResourcePropertyConflict,
    exception.PropertyUnspecifiedError,
    exception.ResourcePropertyDependency,
    exception.ResourcePropertyValueDependency,
)
#: stands for the content of a binary file, which only the service gets
BINARY = 'YmluYXJ5'


INVALID_FILE = 'The content of a file that the resource reads is not valid for its property'

#: the limits that templates can exceed, with their defaults: those in conf/ need a library
LIMITS = runtime.EngineLimits(max_resources_per_stack=1000, max_nested_stack_depth=5)


class CloudRequired(Exception):
    """A question that only a cloud can answer."""


class OfflineRegistry:
    """A registry for which every object of the cloud exists."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def __getattr__(self, name: str) -> Value:
        return getattr(self._registry, name)

    def lookup(self, stack: Stack, kind: str, value: Value) -> str | None:
        try:
            return self._registry.lookup(stack, kind, value)
        except constraints.UnknownConstraint:
            raise
        except Exception:
            return None  # only a cloud can answer

    def find(self, stack: Stack, kind: str, value: Value) -> Value:
        return value


class _OfflineClients:
    """Clients of a cloud that has all services and answers no request."""

    def require(self, service: str, extension: str | None = None) -> None:
        return

    def __getattr__(self, name: str) -> Value:
        raise CloudRequired('no cloud is available')


class _NoNestedStack(NestedStackView):
    """The nested stack of a resource under validation: there is none yet."""

    def existing_stack(self) -> Stack | None:
        return None

    def validate(self, template: Template, run: ValidationPass, times: int = 1) -> None:
        """Validate the stack if no type in it is a template, which other rules validate."""
        registry, knows = template.environment.registry, self._runtime.registry.knows
        for name, definition in self.draft(template).definitions.items():
            entry = registry.resolve(definition.resource_type, name, knows)
            if entry.kind != resource_registry.TYPE or _fetches(self._runtime, entry):
                return
        super().validate(template, run, times)


def _fetches(offline_runtime: Runtime, entry: Resolution) -> bool:
    """Whether resources of a type fetch their nested template."""
    return getattr(offline_runtime.registry.get(entry.target), 'fetches_template', False)


def offline_clients(request: context.RequestContext) -> Value:
    return _OfflineClients()


def validation_errors(
    types: TypeCatalog, document: TemplateDocument
) -> Iterator[exception.StackValidationFailed]:
    """Yield the exceptions that the resource types of a template raise from ``validate()``.

    Errors that the cloud may decide, or a file that is not read, are left out. No text contains a
    part of a file that the template reads: an error that empty files do not cause, too, is replaced
    by one without its text.
    """
    files, unread = _files(document)
    errors = [
        each
        for each in _errors_with(types, document, files)
        if not any(_leads_to(path, each.path) for path in unread)
    ]
    if errors and any(files.values()):
        shown = {str(error) for error in _errors_with(types, document, dict.fromkeys(files, ''))}
        errors = [error if str(error) in shown else _without_text(error) for error in errors]
    yield from errors


def _without_text(error: exception.StackValidationFailed) -> exception.StackValidationFailed:
    return exception.StackValidationFailed(INVALID_FILE, path=error.path[:2])


def _errors_with(
    types: TypeCatalog, document: TemplateDocument, files: Mapping[str, str]
) -> Iterator[exception.StackValidationFailed]:
    """Yield the errors of a template with these contents of its files.

    Parameters without a value are not known, nor those that get another one than the default.
    """
    template = Template(document.data, files, document.environment)
    try:
        template = template.with_unknown_parameters(document.overridden())
    except (exception.HeatException, AttributeError, ValueError):
        return  # other rules report errors of the parameters
    registry: Value = OfflineRegistry(types.registry)
    offline_runtime = runtime.Runtime(registry, runtime.UNSET, LIMITS, 'offline', offline_clients)
    offline_runtime.nested_stack = functools.partial(_NoNestedStack, offline_runtime)
    stack = Stack(
        offline_runtime,
        context.RequestContext(project_id='offline', overwrite=False),
        template,
        name='offline',
        tenant='offline',
    )
    stack.foresight = Foresight()
    try:
        definitions = stack.definitions
    except Exception:
        return  # other rules report errors of the template
    for name, definition in definitions.items():
        if definition.external_id is not None:
            continue  # an existing object, whose properties the engine does not check
        error = _validation_error(stack, name, definition)
        if error is not None:
            yield error


def _validation_error(
    stack: Stack, name: str, definition: ResourceDefinition
) -> exception.StackValidationFailed | None:
    try:
        entry = stack.template.environment.registry.resolve(
            definition.resource_type, name, stack.runtime.registry.knows
        )
        if entry.kind == resource_registry.TYPE:
            item = stack.resource_for(name)
            definition.check_snapshot_policy(item.supports_snapshot_delete())
            validation.validate_resource(item)
            nested = not _fetches(stack.runtime, entry)
            item.validate_nested(validation.ValidationPass(nested))
    except VALIDATION_ERRORS as error:
        if _needs_more(error):
            return None
        return _with_full_path(error, name)
    except Exception:
        # Types, including plug-ins, expect a service. The lack of one is no fault of the template.
        return None
    return None


def _with_full_path(error: Exception, name: str) -> exception.StackValidationFailed:
    """Return the error with the path from the top of the template.

    An error in a nested stack (``<nested_stack>`` in its path) keeps its full text, since its path
    leads into another template.
    """
    path = list(getattr(error, 'path', ()))
    if path[:1] == ['resources']:
        path = path[2:] if path[1:2] == [name] else []
    is_nested = any('<' in str(part) for part in getattr(error, 'path', ()))
    text = str(error) if is_nested else getattr(error, 'error_message', None)
    return exception.StackValidationFailed(text or str(error), path=('resources', name, *path))


def needs_cloud(error: BaseException) -> bool:
    """Whether the error is caused by the lack of a cloud."""
    return any(isinstance(cause, CloudRequired) for cause in _causes(error))


def _needs_more(error: BaseException) -> bool:
    """Whether the error is caused by the lack of a cloud, or by a type that the linter does not
    know, which another rule reports.
    """
    return any(
        isinstance(cause, CloudRequired | exception.EntityNotFound) for cause in _causes(error)
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _files(document: TemplateDocument) -> tuple[dict[str, str], list[tuple[Value, ...]]]:
    """Return the files that a template reads, and the paths of calls whose file is not read.

    The files: {name in the template: text}. Remote files are not read, nor those whose name is
    computed; other rules report a missing one.
    """
    found: dict[str, str] = {}
    unread = []
    for call in document.calls.calls:
        if not isinstance(call.node, refs.GetFile):
            continue
        name = call.node.args
        file = document.files.join(document.name, name) if isinstance(name, str) else None
        if file is not None and document.files.has(file):
            found[name] = _content(document.files, file)
        else:
            unread.append(call.path)
    return found, unread


def _content(files: Value, name: str) -> str:
    """Return the text of a file; for a binary one a text in base64, as clients send it."""
    try:
        return files.read(name)
    except ValueError:
        return BINARY


def _leads_to(path: Sequence[Value], error_path: Sequence[Value]) -> bool:
    """Whether an error is about the property, or the resource, that has the part at ``path``."""
    about = tuple(error_path[:4]) if len(error_path) > 3 else tuple(error_path[:2])
    return tuple(path[: len(about)]) == about
