"""Arguments of the actions of CloudFormation as the body of a request of the other API."""

import re

from heat_lite.api.aws import faults, query
from heat_lite.api.v1.stack_request import StackRequest
from heat_lite.api.wsgi import BadRequest
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Values
from heat_lite.rpc import api

TEMPLATE = ('TemplateBody', 'TemplateURL', 'TemplateUrl')
FAILURES = {'DO_NOTHING': True, 'ROLLBACK': False, 'DELETE': False}
#: acknowledgements of what a template contains; the service needs none, so they have no effect
CAPABILITIES = ('CAPABILITY_IAM', 'CAPABILITY_NAMED_IAM', 'CAPABILITY_AUTO_EXPAND')
#: the beginning of the tag that has the token of the last request
TOKEN_TAG = 'client-request-token='
TOKEN = re.compile('[A-Za-z0-9-]{1,56}')
MAX_TOPICS, MAX_TAG = 5, 80
#: a queue that receives the events of a stack
_TOPIC = re.compile(r'arn:openstack:zaqar::(?P<project>[^:]*):(?P<queue>[^:]+)')
_TRUE_OR_FALSE = {'true': True, 'false': False}


def template_of(arguments: query.Arguments, required: bool = True) -> Values:
    """Return ``template`` or ``template_url``, or none of them if it is not required."""
    given = [name for name in TEMPLATE if name in arguments]
    if len(given) > 1:
        raise _combination(f'{" and ".join(given)} may not be used together')
    if not given and required:
        raise faults.fault('MissingParameter', 'TemplateBody or TemplateUrl were not given.')
    if not given:
        return {}
    key = 'template' if given == ['TemplateBody'] else 'template_url'
    return {key: arguments[given[0]]}


class TemplateRequest(StackRequest):
    """A request whose template, if it cannot be read, is refused in the words of Heat."""

    fetch_failed = 'Failed to fetch template'

    def template(self, required: bool = True) -> Values | None:
        try:
            return super().template(required)
        except BadRequest as error:
            raise _value(f'The Template must be a JSON or YAML document. {error.detail}') from None


def options_of(arguments: query.Arguments) -> Values:
    """Return the options of a create or an update."""
    if 'DisableRollback' in arguments and 'OnFailure' in arguments:
        raise _combination('DisableRollback and OnFailure may not be used together')
    options: Values = {}
    if 'TimeoutInMinutes' in arguments:
        options[api.PARAM_TIMEOUT] = _number('TimeoutInMinutes', arguments['TimeoutInMinutes'])
    if 'DisableRollback' in arguments:
        options[api.PARAM_DISABLE_ROLLBACK] = flag(arguments, 'DisableRollback')
    if 'OnFailure' in arguments:
        if arguments['OnFailure'] not in FAILURES:
            raise _value(f'OnFailure must be one of {", ".join(FAILURES)}')
        options[api.PARAM_DISABLE_ROLLBACK] = FAILURES[arguments['OnFailure']]
    for capability in query.values(arguments, 'Capabilities'):
        if capability not in CAPABILITIES:
            raise _value(f'a capability must be one of {", ".join(CAPABILITIES)}')
    return options


def flag(arguments: query.Arguments, name: str) -> bool:
    """Return a boolean, false if it is not given."""
    text = arguments.get(name, 'false').lower()
    if text not in _TRUE_OR_FALSE:
        raise _value(f'{name} must be true or false, not "{text[:100]}"')
    return _TRUE_OR_FALSE[text]


def _number(name: str, text: str) -> int:
    if not re.fullmatch('[0-9]{1,9}', text) or not int(text):
        raise _value(f'{name} must be a number of minutes, 1 or more')
    return int(text)


def parameters_of(arguments: query.Arguments) -> tuple[dict[str, str], set[str]]:
    """Return the given parameters and the names of those that keep their values."""
    fields = ('ParameterKey', 'ParameterValue', 'UsePreviousValue')
    given: dict[str, str] = {}
    kept: set[str] = set()
    for item in query.structures(arguments, 'Parameters', fields):
        name, previous = item.get('ParameterKey'), flag(item, 'UsePreviousValue')
        if not name:
            raise _value('a parameter has no ParameterKey')
        if name in given or name in kept:
            raise _value(f'the parameter {name} is given twice')
        if previous and 'ParameterValue' in item:
            raise _combination(f'ParameterValue and UsePreviousValue of the parameter {name}')
        if previous:
            kept.add(name)
        elif 'ParameterValue' in item:
            given[name] = item['ParameterValue']
        else:
            raise _value(f'the parameter {name} has no ParameterValue')
    return given, kept


def tags_of(arguments: query.Arguments) -> list[str] | None:
    """Return the tags as ``KEY=VALUE``; None if the request has none."""
    if not any(query.base_name(key) == 'Tags' for key in arguments):
        return None
    tags = []
    for item in query.structures(arguments, 'Tags', ('Key', 'Value')):
        if 'Key' not in item or 'Value' not in item:
            raise _value('a tag has no Key, or no Value')
        tag = f'{item["Key"]}={item["Value"]}'
        if not item['Key'] or '=' in item['Key'] or ',' in tag or len(tag) > MAX_TAG:
            raise _value(
                f'the tag {tag[:100]}: Key and Value are stored as KEY=VALUE of at most {MAX_TAG} '
                'characters, without commas, and KEY contains no ='
            )
        if tag.startswith(TOKEN_TAG):
            raise _value(f'the tag {item["Key"]} is reserved for ClientRequestToken')
        tags.append(tag)
    return tags


def token_tag(arguments: query.Arguments) -> str | None:
    """Return the tag that tells the repetition of a request; None without ClientRequestToken."""
    token = arguments.get('ClientRequestToken')
    if token is None:
        return None
    if not TOKEN.fullmatch(token):
        raise _value('ClientRequestToken must be 1 to 56 letters, digits and hyphens')
    return f'{TOKEN_TAG}{token}'


def sinks_of(context: RequestContext, arguments: query.Arguments) -> list[dict[str, str]] | None:
    """Return the event sinks of NotificationARNs; None if the request has none."""
    if not any(query.base_name(key) == 'NotificationARNs' for key in arguments):
        return None
    sinks = []
    for topic in query.values(arguments, 'NotificationARNs'):
        found = _TOPIC.fullmatch(topic)
        if found is None or found['project'] != context.tenant_id:
            raise _value(
                f'the topic {topic[:200]} is no queue of the project: the form is '
                f'{topic_arn(context.tenant_id, "QUEUE")}'
            )
        sinks.append({'type': 'zaqar-queue', 'target': found['queue']})
    if len(sinks) > MAX_TOPICS:
        raise _value(f'there are at most {MAX_TOPICS} NotificationARNs')
    return sinks


def topic_arn(project: str | None, queue: str) -> str:
    return f'arn:openstack:zaqar::{project or ""}:{queue}'


def _value(text: str) -> faults.Fault:
    return faults.fault('InvalidParameterValue', text)


def _combination(text: str) -> faults.Fault:
    return faults.fault('InvalidParameterCombination', text)
