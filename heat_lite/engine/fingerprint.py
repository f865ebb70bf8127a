"""The fingerprint of a stack: as long as it stays the same, an update asks for nothing that the stack was not asked for before."""

from heat_lite.template import digest

#: what an update can change beside the template with its environment and files: column -> attribute of the stack
OPTIONS = {'timeout': 'timeout_mins', 'disable_rollback': 'disable_rollback', 'tags': 'tags', 'protected': 'protected'}
_FLAGS = ('disable_rollback', 'protected')


def of(stack, template=None, values=None):
    """Of the stack as it is, or as an update to ``template`` with further columns ``values`` would make it."""
    values = values or {}
    options = {column: values.get(column, getattr(stack, name)) for column, name in OPTIONS.items()}
    options['tags'] = list(options['tags'] or ())
    options.update({name: bool(options[name]) for name in _FLAGS})
    return digest.of(template or stack.template, stack.runtime.secret, **options)
