"""The fingerprint of a stack: equal fingerprints mean that an update would change nothing.

It covers the template with its files and environment, and the options of the stack.
"""

import hashlib
import hmac
import json
import weakref
from collections.abc import Mapping, MutableMapping
from typing import TYPE_CHECKING

from heat_lite.common import status
from heat_lite.common.value_types import Value, Values
from heat_lite.db import encryption
from heat_lite.template.template import Template

if TYPE_CHECKING:
    from heat_lite.engine.resource.resource import Resource
    from heat_lite.engine.stack.stack import Stack

#: what an update can change besides the template, environment and files: key -> field of the stack
OPTIONS = {
    'timeout': 'timeout_mins',
    'disable_rollback': 'disable_rollback',
    'tags': 'tags',
    'protected': 'protected',
}
#: the hashes of templates, which are shared by stacks and requests
_contents: MutableMapping[Template, str] = weakref.WeakKeyDictionary()
_BOOLEANS = ('disable_rollback', 'protected')


def template_fingerprint(template: Template, key: bytes = b'', **options: Value) -> str:
    """Return the fingerprint of a template and the ``options`` of a stack (timeout, tags, ...).

    The order of lists matters, that of maps does not. A fingerprint that users can see needs a
    secret ``key``; without it, values of hidden parameters could be found by trying.
    """
    content = _contents.get(template)
    if content is None:
        environment = {} if template.environment is None else template.environment.data
        whole = [template.data, template.files, sections(environment)]
        content = _contents[template] = hashlib.sha256(_encoded(whole)).hexdigest()
    return keyed(key, [content, options])


def keyed(key: bytes, content: Value) -> str:
    """Return the fingerprint of a content."""
    return hmac.new(key, _encoded(content), hashlib.sha256).hexdigest()


def _encoded(content: Value) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(',', ':'), default=str).encode()


def stack_fingerprint(
    stack: 'Stack', template: Template | None = None, values: Mapping[str, Value] | None = None
) -> str:
    """Return the fingerprint of the stack, or that after an update to ``template`` with changed
    fields ``values``.
    """
    values = values or {}
    options = {key: values.get(name, getattr(stack, name)) for key, name in OPTIONS.items()}
    options['tags'] = list(options['tags'] or ())
    options.update({name: bool(options[name]) for name in _BOOLEANS})
    return template_fingerprint(template or stack.template, stack.runtime.secret, **options)


def changes_nothing(stack: 'Stack', template: Template) -> bool:
    """Return whether the stack already is what ``template``, its parameters and files describe,
    with all resources settled.
    """
    if stack.run.draining or template_fingerprint(stack.template) != template_fingerprint(template):
        return False
    if stack.template.text != template.text:
        return False  # an update stores other comments
    rows = stack.records.all()
    if len(rows) != len(stack.definitions) or any(
        row.name not in stack.definitions for row in rows
    ):
        return False
    return all(_is_settled(stack, stack.resource_of(row)) for row in rows)


def _is_settled(stack: 'Stack', resource: 'Resource') -> bool:
    """Return whether an update has nothing to do with the resource.

    A hook pauses even an unchanged resource.
    """
    record = resource.record
    made = (
        record.action != status.INIT
        and record.status == status.COMPLETE
        and record.current_template_id == stack.template_id
    )
    return (
        made
        and not stack.template.environment.registry.hooks(resource.name)
        and not resource.is_lookup
        and not resource.needs_update(resource.definition)
    )


def sections(environment: Mapping[str, Value]) -> Values:
    """Drop empty sections: some clients send all sections, others only those with content.

    The names of encrypted parameters tell how parameters are stored, not what a stack is.
    """
    return {
        section: content
        for section, content in environment.items()
        if content and section != encryption.ENCRYPTED_NAMES
    }
