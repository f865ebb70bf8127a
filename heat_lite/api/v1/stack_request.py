"""The body of a request with a template, checked for types and format before the RPC call."""

import dataclasses
import json
from collections.abc import Callable

from webob import exc

from heat_lite.api.v1 import params
from heat_lite.api.wsgi import BadRequest
from heat_lite.common import exception, urlfetch
from heat_lite.common.value_types import Value, Values, without_none
from heat_lite.rpc import api
from heat_lite.template import reader, source_positions
from heat_lite.template.suggest import suggest

CONTENT_KEYS = (
    'template',
    'template_url',
    'environment',
    'environment_files',
    'files',
    'files_container',
    'parameters',
)
# keys of the body that are RPC arguments of their own; all others are sent in ``args``
RPC_ARGUMENTS = ('stack_name', *CONTENT_KEYS)
# keys that are no part of a body: those of a client are ignored
INTERNAL_KEYS = (api.ON_BEHALF_OF, api.IF_MATCH, api.TEMPLATE_TEXT)
MAX_MESSAGE = 255
SECTIONS: dict = {
    'parameters': {},
    'encrypted_param_names': [],
    'parameter_defaults': {},
    'event_sinks': [],
    'resource_registry': {},
}


@dataclasses.dataclass(frozen=True)
class RequestLimits:
    """Limits of a request: ``template_size`` in bytes, ``fetch_timeout`` of a URL in seconds."""

    template_size: int
    fetch_timeout: float


class StackRequest:
    """Reader of a body; its methods raise HTTPBadRequest for invalid values."""

    #: the beginning of the error of a template that cannot be fetched
    fetch_failed = 'Could not retrieve template'

    def __init__(self, body: Value, limits: RequestLimits) -> None:
        if body is None:
            raise exc.HTTPBadRequest()
        self.body = body
        self.limits = limits
        #: the argument with the text of the template, once a template is read that has lines
        self._text: Values = {}

    def create_args(self) -> Values:
        """Return the RPC arguments of a create."""
        args = self.args()
        plan = without_none({api.PLAN: args.pop(api.PLAN, None)})
        if plan:
            _require_whole(self.has_content() or 'stack_name' in self.body, args)
        name = None if plan else self.stack_name()
        template = None if plan else self.template()
        return {
            'stack_name': name,
            'args': args | self._text,
            'template': template,
            **self.content_args(),
            **plan,
        }

    def update_args(self, existing: bool) -> Values:
        """Return the RPC arguments of an update.

        ``existing``: what the body omits, including the template, stays as it is.
        """
        args = self.args(is_update=True)
        taken = {name: args.pop(name, None) for name in (api.REVISION, api.PLAN)}
        given = without_none(taken)
        if api.PLAN in given:
            _require_whole(len(given) > 1 or self.has_content(), args)
        if given and self.has_content():
            raise exc.HTTPBadRequest(
                'A revision stands for template, environment, parameters and files: give either.'
            )
        if existing:
            args[api.PARAM_EXISTING] = True
        template = self.template(not existing and not given)
        part = {name: args.pop(name) for name in api.PART_KEYS if name in args}
        if part:
            given[api.PART] = part
        return {'args': args | self._text, 'template': template, **self.content_args(), **given}

    def refactor_args(self, stack: str) -> Values:
        """Return what a refactoring needs of a stack: without a template it keeps its own."""
        template = self.template(required=False)
        name = self.body.get('stack_name')
        known = {'stack_name'} if template is None else {'stack_name', *CONTENT_KEYS}
        others = sorted(key for key, value in self.body.items() if value and key not in known)
        if others:
            without = ' without a template' if template is None else ''
            raise exc.HTTPBadRequest(
                f'Moves do not change this of stack {stack}{without}: {", ".join(others)}. Leave '
                'it to an update.'
            )
        return {'template': template, 'name': name, **self.content_args(), **self._text}

    def content_args(self) -> Values:
        """Return the RPC arguments of environment and files."""
        return {
            'params': self.environment(),
            'files': self.files(),
            'environment_files': self.environment_files(),
            'files_container': self.files_container(),
        }

    def stack_name(self) -> Value:
        if 'stack_name' not in self.body:
            raise exc.HTTPBadRequest('No stack name specified')
        return self.body['stack_name']

    def template(self, required: bool = True) -> Values | None:
        """Return the template as a map; None if there is none and it is not ``required``."""
        if self.body.get(api.PARAM_ADOPT_STACK_DATA) is not None:
            return self._adopted_template()
        if self.body.get('template') is not None:
            return self._parse(self.body['template'])
        if self.body.get('template_url') is not None:
            return self._fetched(self.body['template_url'])
        if required:
            raise exc.HTTPBadRequest('No template specified')
        return None

    def _adopted_template(self) -> Values:
        text = self.body[api.PARAM_ADOPT_STACK_DATA]
        if not isinstance(text, str):
            raise exc.HTTPBadRequest('Invalid adopt data: it is not a string')
        try:
            document = reader.parse(text)
            template, author = document['template'], document.get(api.TEMPLATE_TEXT)
            if isinstance(author, str) and self._read(author) != template:
                self._text = {}  # the template of the document was changed since
        except (KeyError, ValueError) as error:
            raise exc.HTTPBadRequest(f'Invalid adopt data: {error}') from None
        if not isinstance(template, dict):
            raise exc.HTTPBadRequest('Invalid adopt data: its template is not a map')
        return template

    def _parse(self, template: Value) -> Values:
        self._check_size(template)
        try:
            # the version of a template that is a JSON object is validated by the engine
            return self._read(template) if isinstance(template, str) else reader.parse(template)
        except ValueError as error:
            text = f'Template not in valid format: {error}'
            place = source_positions.locate_in_text(
                source_positions.TEMPLATE, template, getattr(error, 'path', ())
            )
            raise BadRequest(text, position=place and place._asdict()) from None

    def _read(self, text: str) -> Values:
        # a single line was generated by a program
        self._text = {api.TEMPLATE_TEXT: text} if '\n' in text.strip() else {}
        return reader.parse_file(text, reader.ROOT)

    def _check_size(self, template: Value) -> None:
        limit = self.limits.template_size
        size = len(template if isinstance(template, str) else json.dumps(template))
        if size > limit:
            raise exception.RequestLimitExceeded(
                message=f'Template size ({size} bytes) exceeds maximum allowed size '
                f'({limit} bytes).'
            )

    def _fetched(self, url: Value) -> Values:
        """Return the template at a URL. Errors contain no part of a text that is no template."""
        text = self._fetch(url)
        try:
            return self._read(text)
        except ValueError:
            raise exc.HTTPBadRequest(
                f'{self.fetch_failed}: the text at {url} is not a template'
            ) from None

    def _fetch(self, url: Value) -> str:
        if not isinstance(url, str):
            raise BadRequest('template_url must be a string.', 'AttributeError')
        try:
            return urlfetch.get(url, self.limits.template_size, self.limits.fetch_timeout)
        except urlfetch.URLFetchError as error:
            raise exc.HTTPBadRequest(f'{self.fetch_failed}: {error}') from None

    def environment(self) -> Values:
        """Return all sections of the environment.

        Its parameters include those of the body, which take precedence.
        """
        environment = {**SECTIONS, **self._environment()}
        values = _map('parameters', environment['parameters'], 'AttributeError')
        environment['parameters'] = {
            **values,
            **_map('parameters', self.body.get('parameters') or {}),
        }
        return environment

    def _environment(self) -> Values:
        given = self.body.get('environment')
        # Clients that send environment_files also send the merged environment, for services that
        # cannot merge. It is ignored here.
        if not given or self.body.get('environment_files'):
            return {}
        try:
            return reader.parse_environment(given)
        except ValueError as error:
            raise exc.HTTPBadRequest(f'Environment not in valid format: {error}') from None

    def files(self) -> dict[str, str]:
        """Return the contents of files by their names."""
        files = _map('files', self.body.get('files') or {})
        for name, content in files.items():
            if not isinstance(content, str):
                raise exc.HTTPBadRequest(f'The content of the file "{name}" is not a string.')
            self._check_size(content)
        return files

    def environment_files(self) -> list[str] | None:
        """Return the names of the files that are environments, or None."""
        names = self.body.get('environment_files')
        if names is None:
            return None
        names = [names] if isinstance(names, str) else names
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise BadRequest('environment_files must be a list of names of files.', 'ValueError')
        return names

    def files_container(self) -> str | None:
        """Return the name of the Swift container with the files, or None."""
        name = self.body.get('files_container')
        if name is not None and not isinstance(name, str):
            raise BadRequest('files_container must be a string.', 'ValueError')
        return name

    def has_content(self) -> bool:
        """Return whether the body has a template, environment, files or parameters."""
        return any(self.body.get(key) for key in (*CONTENT_KEYS, api.PARAM_CLEAR_PARAMETERS))

    def args(self, is_update: bool = False) -> Values:
        """Return all other keys of the body, with the known ones validated and converted."""
        others = (*RPC_ARGUMENTS, *INTERNAL_KEYS)
        args = {key: value for key, value in self.body.items() if key not in others}
        for key in args.keys() - READERS.keys():  # those of other clients are ignored, as in Heat
            if hint := suggest(key, (*RPC_ARGUMENTS, *READERS)):
                raise exc.HTTPBadRequest(f'The request has the unknown key "{key}".{hint}')
        for key, read in READERS.items():
            if key in args and key in UPDATE_ONLY and not is_update:
                raise exc.HTTPBadRequest(UPDATE_ONLY[key])
            if key in args:
                args[key] = read(key, args[key])
        return args


def _require_whole(has_more: bool, args: Values) -> None:
    if has_more or args.keys() - {api.MESSAGE}:
        raise exc.HTTPBadRequest('A plan is a whole request: only a message may come with it.')


def _map(name: str, value: Value, error_type: str = 'ValueError') -> Values:
    if isinstance(value, dict):
        return value
    if value == []:
        return {}  # PHP and Lua serialize an empty map so
    raise BadRequest(f'{name} must be a map.', error_type)


def _tags(name: str, value: Value) -> list[str] | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadRequest(
            'tags must be a string of tags with commas between them.', 'AttributeError'
        )
    if '\0' in value:
        raise exc.HTTPBadRequest('A tag contains a NUL character.')
    return [tag for tag in params.tag_list(name, value) if tag.strip()]


def _on_replace(name: str, value: Value) -> str:
    if value not in api.ON_REPLACE_VALUES:
        raise exc.HTTPBadRequest(
            f'Unrecognized value "{value}" for "{name}", acceptable values are: '
            f'{", ".join(api.ON_REPLACE_VALUES)}.'
        )
    return value


def _rollback(name: str, value: Value) -> bool:
    try:
        return params.flag(name, value)
    except exc.HTTPBadRequest as error:
        raise BadRequest(error.detail, 'ValueError') from None


def _message(name: str, value: Value) -> str | None:
    if value is not None and not (isinstance(value, str) and len(value) <= MAX_MESSAGE):
        raise BadRequest(f'{name} must be a text of at most {MAX_MESSAGE} characters.')
    return value


def _plan(name: str, value: Value) -> str | None:
    if value is not None and not isinstance(value, str):
        raise BadRequest(f'{name} must be the id of a plan.')
    return value


def _names(name: str, value: Value) -> list[str]:
    names = [value] if isinstance(value, str) else value or []
    if not isinstance(names, list):
        raise BadRequest(f'{name} must be a list of names.', 'ValueError')
    return names


def _resources(name: str, value: Value) -> list[str]:
    names = _names(name, value)
    if not all(isinstance(each, str) for each in names):
        raise exc.HTTPBadRequest(f'{name} must be a list of names of resources.')
    if name == api.TARGET and not names:
        raise exc.HTTPBadRequest('target names no resource: leave it out to update all of them.')
    return names


#: the known ones of the keys that are sent in ``args``; the first invalid one is the error
READERS: dict[str, Callable[[str, Value], Value]] = {
    api.PARAM_TIMEOUT: params.integer,
    api.PARAM_TAGS: _tags,
    api.PARAM_CONVERGE: params.flag,
    api.PARAM_DISABLE_ROLLBACK: _rollback,
    api.PARAM_CLEAR_PARAMETERS: _names,
    api.PARAM_OBSERVE: params.flag,
    api.PROTECTED: params.flag,
    api.ON_REPLACE: _on_replace,
    api.REVISION: params.integer,
    api.PLAN: _plan,
    api.MESSAGE: _message,
    api.TARGET: _resources,
    api.EXCLUDE: _resources,
    api.REPLACE: _resources,
}
#: keys of updates, and the error of a create with one
UPDATE_ONLY = {
    api.PARAM_CONVERGE: (
        'converge flag only supported in stack update (or update preview) request.'
    ),
    api.ON_REPLACE: 'on_replace says what an update may do: a create replaces nothing.',
    **dict.fromkeys(
        (api.TARGET, api.EXCLUDE, api.REPLACE),
        'target, exclude and replace name resources of a stack: a new one has none.',
    ),
    api.REVISION: 'revision names a former definition of a stack: a new one has none.',
}
