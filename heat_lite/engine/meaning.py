"""What a template means for one stack: bound to its parameters, and which resource requires which.

A stored template never changes, nor do the parameters that are stored with it: so an engine keeps what has been worked out for the stacks
that it was asked about last.
"""

import functools

from heat_lite.engine import recent, resource


class Meaning:
    """``identity`` is the stack's, for pseudo parameters."""

    def __init__(self, template, identity):
        self.template = template
        self._identity = identity
        self._required = None

    @functools.cached_property
    def parameters(self):
        return self.template.parameters(self._identity)

    @functools.cached_property
    def bound(self):
        return self.template.bind(self.parameters)

    def requirements(self, stack):
        """``{name: names that come first}``, from the template and from what the types know. Not to be changed."""
        if self._required is None:
            self._required = self._worked_out(stack)
        return self._required

    def _worked_out(self, stack):
        definitions = self.bound.resources
        names = set(definitions)
        result = {name: definition.requires(names) for name, definition in definitions.items()}
        for name, definition in definitions.items():
            kind = resource.known(stack.class_of, definition)
            if kind.implied_dependencies is not resource.Resource.implied_dependencies:
                implied = stack.resource_for(name).implied_dependencies(definitions)
                result[name] = result[name] | (set(implied) & names)
        return result


class Meanings:
    """The last ``most`` of them, by stack and template, or fewer where they are large."""

    def __init__(self, most=64, kilobytes=64 * 1024):
        self._recent = recent.Recent(most, kilobytes, lambda meaning: recent.weight_of(meaning.template))

    def of(self, stack, template, template_id):
        """That of a stack and one of its templates; drafts, of which one or the other is not stored, are not kept."""
        identity = {'tenant': stack.tenant, 'stack_name': stack.name, 'stack_id': stack.id}
        if stack.id is None or template_id is None:
            return Meaning(template, identity)
        key = stack.id, template_id
        found = self._recent.get(key)
        if found is not None and found.template is template:  # an id may stand for templates that are only thought of
            return found
        return self._recent.keep(key, Meaning(template, identity))
