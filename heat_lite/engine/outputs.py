"""Outputs of a stack that no action works on: they are worked out once and kept, unless they go on changing."""


def stored(stack):
    """The outputs as they are to be kept; None where signals may change them at any time, so that each reader must work them out."""
    definitions = stack.bound.outputs.values()
    if any(_changes(stack, name) for definition in definitions for name in definition.reads()):
        return None
    return [stack.output(definition) for definition in definitions]


def _changes(stack, name):
    definition = stack.definitions.get(name)
    return definition is not None and stack.class_of(definition).signals_change_attributes
