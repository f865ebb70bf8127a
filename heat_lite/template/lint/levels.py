"""The level of a finding by its place: Heat accepts some errors in parts that it reads late.

Outputs are computed after a stack exists, and an error empties one of them. A condition that
nothing uses, a resource or an output that a constant condition disables, and a branch that a
constant condition rules out are never read. The properties that members of a group lack are missed
when a member is created, and a group of size 0 has no member. An error there is a warning.
"""

from heat_lite.template import dialects
from heat_lite.template.lint.document import EnvironmentDocument, TemplateDocument
from heat_lite.template.lint.finding import ERROR, NOTE, WARNING
from heat_lite.template.lint.rules.base import Rule
from heat_lite.template.lint.rules.condition_rules import used_conditions

#: rules about values that only the computation of an output reads, except the path of get_attr
_LATE_RULES = ('unknown-parameter', 'missing-file')
#: rules about what the parser of the engine checks
_PARSER_RULES = ('resource-definition', 'function', 'condition')
#: rules about what the evaluation of a condition needs
_CONDITION_RULES = ('unknown-parameter', 'condition-cycle')
#: rules about the parameters of an environment
_PARAMETER_RULES = ('environment-parameter', 'parameter-value')
_LATE_FUNCTIONS = ('get_resource', 'Ref')


def environment_level_at(document: EnvironmentDocument, rule: Rule, path: tuple) -> str:
    """Return the level of a finding of a rule at a path in an environment."""
    # as in Heat: an unknown parameter is an error in the first file, and dropped in others
    if rule.name == 'environment-parameter' and document.is_merged:
        return WARNING
    if rule.name in _PARAMETER_RULES and document.may_be_of_other_template():
        return WARNING
    # the service reads only entries of types that a template has
    if rule.name == 'registry-target' and not document.uses(path):
        return WARNING if document.is_named else NOTE
    return rule.level


def level_at(document: TemplateDocument, rule: Rule, path: tuple) -> str:
    """Return the level of a finding of a rule at a path in a template."""
    if rule.level != ERROR:
        return rule.level
    is_late = path[:1] == document.path_of('outputs') and (
        (rule.name in _LATE_RULES and 'get_attr' not in path)
        or (
            rule.name == 'unknown-reference'
            and path[-1] in _LATE_FUNCTIONS
            and 'get_attr' not in path
        )
        or (rule.name == 'unknown-attribute' and _reads_nested(document, path))
    )
    is_warning = (
        is_late
        or (rule.name == 'missing-property' and _is_of_member(document, path))
        or _is_of_empty_group(document, path)
        or _is_empty_section(document, rule, path)
        or _is_ignored_key(document, rule, path)
        or _is_never_read(document, rule, path)
        or _is_never_evaluated(document, rule, path)
    )
    return WARNING if is_warning else ERROR


def _reads_nested(document: TemplateDocument, path: tuple) -> bool:
    """Whether the function at a path reads an attribute of a nested template."""
    for violation in document.calls.violations:
        if violation.path == path:
            return document.nested_of(violation.error.kwargs['resource']) is not None
    return False


def _is_empty_section(document: TemplateDocument, rule: Rule, path: tuple) -> bool:
    """Whether a section is an empty list or text, which Heat takes for an empty map."""
    is_conditions = path[:1] == document.path_of('conditions')
    return rule.name == 'section-type' and not is_conditions and not document.data.get(path[0])


def _is_ignored_key(document: TemplateDocument, rule: Rule, path: tuple) -> bool:
    """Whether a path leads to an unknown key of a CFN resource, which Heat ignores."""
    is_key = rule.name == 'resource-definition' and len(path) == 3
    version = document.version
    return is_key and version.dialect is dialects.CFN and path[-1] not in version.resource_keys


def _is_of_member(document: TemplateDocument, path: tuple) -> bool:
    """Whether a path leads to the properties of a group's member, not to a part inside of one."""
    return any(
        path[: len(each.path)] == each.path and len(path) <= len(each.path) + 2
        for each in document.definitions()
        if each.is_member
    )


def _is_of_empty_group(document: TemplateDocument, path: tuple) -> bool:
    """Whether a path leads into the member that a group with the size 0 describes."""
    section, name, key, *below = (*path, None, None, None)[: max(4, len(path))]
    if section != document.section_key('resources') or below[:1] != ['resource_def']:
        return False
    properties = document.resources.get(name, {}).get(key)
    return isinstance(properties, dict) and str(properties.get('count')) == '0'


def _is_never_read(document: TemplateDocument, rule: Rule, path: tuple) -> bool:
    """Whether the part at a path is disabled. Heat parses disabled resources all the same."""
    parts = [part for part in document.calls.dormant if path[: len(part)] == part]
    is_parsed = rule.name in _PARSER_RULES and path[:1] == document.path_of('resources')
    return any(len(part) > 2 or not is_parsed for part in parts)


def _is_never_evaluated(document: TemplateDocument, rule: Rule, path: tuple) -> bool:
    """Whether the part at a path is a condition without use. Heat parses it all the same."""
    is_value = rule.name in _CONDITION_RULES or (rule.name == 'condition' and len(path) > 2)
    is_condition = path[:1] == document.path_of('conditions') and len(path) > 1
    return is_condition and is_value and path[1] not in used_conditions(document)
