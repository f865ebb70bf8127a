"""A stack as one document: what export and abandon answer, what a snapshot keeps, and what an adoption reads."""

from heat_lite.engine import stack as engine_stack
from heat_lite.template.environment import ENCRYPTED, Environment
from heat_lite.template.template import Template


def of_stack(stack, tell=lambda resource: resource.prepare_abandon()):
    """The document, by the keys of Heat's. Values of hidden parameters and data of resources are in it in the clear.

    ``tell(resource)`` gives what is told of one; None: nothing is told of any.
    """
    resources = () if tell is None else stack.current_resources()
    return {
        'name': stack.name,
        'id': stack.id,
        'action': stack.action,
        'environment': _environment(stack.template.environment),
        'files': dict(stack.template.files),
        'status': stack.status,
        'template': stack.template.data,
        'resources': {resource.name: tell(resource) for resource in resources},
        'project_id': stack.tenant,
        'stack_user_project_id': stack.stack_user_project_id,
        'tags': list(stack.tags),
    }


def _environment(environment):
    shown = environment.as_dict()
    shown.pop(ENCRYPTED)
    return shown


def template_of(document):
    """The template of a document, with its environment and files."""
    return Template(document['template'], document.get('files') or {}, Environment(document.get('environment')))


def stack_of(document, present):
    """The stack that a document tells of, to look at: it is that of ``present`` in all but its definition, and nothing of it is stored."""
    fields = {name: getattr(present, name) for name in engine_stack.FIELDS}
    return engine_stack.Stack(present.runtime, present.context, template_of(document), **fields)
