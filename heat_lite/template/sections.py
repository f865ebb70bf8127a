"""The shape of a template: which sections and keys there may be, and of what type, before anything in them is read."""

from heat_lite.common import exception
from heat_lite.template.suggest import closest, say_word


def validate(data, version):
    """Refuses unknown sections."""
    known = version.sections
    for section in data:
        if section not in known:
            # no hint here: programs in the field look for this very text
            raise exception.StackValidationFailed(exception.InvalidTemplateSection.msg_fmt % {'section': section})


def validate_resources(snippets, version):
    """Refuses unknown keys of resources, and resources without a type."""
    require_map(snippets, version)
    check = _check_hot_body if version.key == 'heat_template_version' else _check_cfn_body
    for name in sorted(snippets):  # Heat's order, so that of several faults the same one is told
        check(snippets[name], version)


def _check_hot_body(snippet, version):
    if not snippet:
        raise exception.StackValidationFailed('Each resource must contain a type key.')
    if not isinstance(snippet, dict):
        raise exception.StackValidationFailed(f'"resources" must contain a map of resource maps. Found a [{type(snippet)}] instead')
    known = version.dialect.resource.values()
    for key in snippet:
        if key not in known:
            raise exception.StackValidationFailed(say_word(f'"{key}" is not a valid keyword inside a resource definition', key, known))
    later = sorted(set(snippet) - version.resource_keys)
    if later:
        raise exception.StackValidationFailed(f'Invalid keyword(s) inside a resource definition: {", ".join(later)}')
    if 'type' not in snippet:
        raise exception.StackValidationFailed('Each resource must contain a type key.')


def _check_cfn_body(snippet, version):
    if snippet is not None and not isinstance(snippet, dict):
        raise exception.StackValidationFailed(f'Resources must contain Resource. Found a [{type(snippet)}] instead')
    if not (snippet or {}).get('Type'):
        raise exception.StackValidationFailed(_missing(_NO_TYPE, 'Type', snippet))


def _missing(text, word, snippet):
    """The text for a word that is not there; it may be there misspelt."""
    meant = next((key for key in snippet or () if closest(key, [word])), None)
    return text if meant is None else say_word(text, meant, [word])


_NO_TYPE = 'Each Resource must contain a Type key.'
#: part -> (Python types, the word for them). Functions are maps here: nothing has been parsed yet.
_TYPES = {
    'type': ((str,), 'string'),
    'properties': ((dict,), 'object'),
    'metadata': ((dict,), 'object'),
    'depends_on': ((list, str), 'list or string'),
    'deletion_policy': ((str, dict), 'string'),
    'update_policy': ((dict,), 'object'),
    'description': ((str,), 'string'),
    'external_id': ((str, dict), 'string'),
    'condition': ((str, bool, dict), 'string_or_boolean'),
}


def require_map(snippets, version):
    """Refuses a section of resources that is none."""
    if not isinstance(snippets, dict):
        word = version.dialect.sections['resources']
        raise exception.StackValidationFailed(f'"{word}" must contain a map of resource maps. Found a [{type(snippets)}] instead')


def validate_resource(name, snippet, version):
    """Refuses a resource of which a part is not of its type."""
    if not isinstance(snippet, dict) or not snippet.get(version.dialect.resource['type']):
        raise exception.StackValidationFailed(_NO_TYPE)
    for part, word in version.dialect.resource.items():
        if word not in snippet or (part == 'condition' and not version.has_conditions):
            continue
        if not isinstance(snippet[word], _TYPES[part][0]):
            raise wrong_type(name, part, version)
        if part == 'depends_on' and not all(isinstance(other, str) for other in snippet[word]):
            raise exception.StackValidationFailed(f'Resource {name} {word} must be a list of strings')


def wrong_type(name, part, version):
    """The error for a part of a resource that is not of its type."""
    expected = _TYPES[part][1]
    if part == 'condition' and version.dialect.name == 'cfn':
        expected = 'string or boolean'
    # it says all of where it is: "whole"
    return exception.StackValidationFailed(f'Resource {name} {version.dialect.resource[part]} type must be {expected}', whole=True)


def validate_offer(snippets, version):
    """Refuses outputs that cannot be the attributes of a template that stands for a type. More is asked of them than of a stack's own."""
    value = version.dialect.output['value']
    for name in sorted(snippets):  # Heat's order
        snippet = snippets[name]
        if version.dialect.name == 'cfn' and isinstance(snippet, dict):
            continue  # a value that is not there is told when the stack inside is looked at
        if snippet and version.dialect.name == 'hot':
            _check_offered_keys(snippet, version)
        if not isinstance(snippet, dict) or value not in snippet:
            raise exception.StackValidationFailed(f'Each output must contain a {value} key.')


def _check_offered_keys(snippet, version):
    if not isinstance(snippet, dict):
        raise exception.StackValidationFailed(f'"outputs" must contain a map of output maps. Found a [{type(snippet)}] instead')
    for key in snippet:
        if key not in version.output_keys:
            text = f'"{key}" is not a valid keyword inside a output definition'
            raise exception.StackValidationFailed(say_word(text, key, version.output_keys))


def validate_output(name, snippet, version):
    """Refuses outputs that are no maps or have no value."""
    path = (version.dialect.sections['outputs'], name)
    if not isinstance(snippet, dict):
        raise _output_failure(f'Output definitions must be a map. Found a {type(snippet).__name__} instead', path)
    if version.dialect.output['value'] not in snippet:
        word = version.dialect.output['value']
        raise _output_failure(_missing(f'Each output definition must contain a {word} key.', word, snippet), path)


def _output_failure(message, path):
    return exception.StackValidationFailed(message, error='Output validation error', path=path)
