"""The body of a request that brings a template: what it asks for, checked for kind and form before any engine sees it."""

import json

from webob import exc

from heat_lite.api.v1 import params
from heat_lite.api.wsgi import BadRequest
from heat_lite.common import exception, urlfetch
from heat_lite.rpc import api
from heat_lite.template import format

# what goes to the engine by a name of its own; all other keys of the body go along in ``args``
OWN = ('stack_name', 'template', 'template_url', 'environment', 'environment_files', 'files', 'files_container', 'parameters')
SECTIONS: dict = {
    'parameters': {},
    'encrypted_param_names': [],
    'parameter_defaults': {},
    'event_sinks': [],
    'resource_registry': {},
}
NEW_CONTENT = ('template', 'template_url', 'environment', 'environment_files', 'files', 'files_container', 'parameters')


class StackData:
    """Reads a body. ``limits`` has ``template_size`` (bytes) and ``fetch_timeout`` (seconds)."""

    def __init__(self, body, limits):
        if body is None:
            raise exc.HTTPBadRequest()
        self.body = body
        self.limits = limits

    def stack_name(self):
        if 'stack_name' not in self.body:
            raise exc.HTTPBadRequest('No stack name specified')
        return self.body['stack_name']

    def template(self, needed=True):
        """The template as a map; None where there is none and none is ``needed``."""
        if self.body.get(api.PARAM_ADOPT_STACK_DATA) is not None:
            return self._adopted_template()
        if self.body.get('template') is not None:
            return self._parsed(self.body['template'])
        if self.body.get('template_url') is not None:
            return self._parsed(self._fetched(self.body['template_url']))
        if needed:
            raise exc.HTTPBadRequest('No template specified')
        return None

    def _adopted_template(self):
        text = self.body[api.PARAM_ADOPT_STACK_DATA]
        if not isinstance(text, str):
            raise exc.HTTPBadRequest('Invalid adopt data: it is not a string')
        try:
            template = format.parse(text)['template']
        except KeyError as error:
            raise exc.HTTPBadRequest(f'Invalid adopt data: {error}') from None
        except ValueError as error:
            raise exc.HTTPBadRequest(f'Invalid adopt data: {error}') from None
        if not isinstance(template, dict):
            raise exc.HTTPBadRequest('Invalid adopt data: its template is not a map')
        return template

    def _parsed(self, template):
        self._check_size(template)
        try:
            # a map comes as it is, and the engine says what is wrong with its version
            return format.parse_file(template, format.ROOT) if isinstance(template, str) else format.parse(template)
        except ValueError as error:
            raise exc.HTTPBadRequest(f'Template not in valid format: {error}') from None

    def _check_size(self, template):
        limit = self.limits.template_size
        size = len(template if isinstance(template, str) else json.dumps(template))
        if size > limit:
            raise exception.RequestLimitExceeded(message=f'Template size ({size} bytes) exceeds maximum allowed size ({limit} bytes).')

    def _fetched(self, url):
        if not isinstance(url, str):
            raise BadRequest('template_url must be a string.', 'AttributeError')
        try:
            return urlfetch.get(url, self.limits.template_size, self.limits.fetch_timeout)
        except urlfetch.URLFetchError as error:
            raise exc.HTTPBadRequest(f'Could not retrieve template: {error}') from None

    def environment(self):
        """All sections of the environment; the parameters of the body are among its own and win over them."""
        environment = {**SECTIONS, **self._environment()}
        own = _map('parameters', environment['parameters'], 'AttributeError')
        environment['parameters'] = {**own, **_map('parameters', self.body.get('parameters') or {})}
        return environment

    def _environment(self):
        given = self.body.get('environment')
        # clients send the merged environment, too, for services that do not merge: then it is not even looked at
        if not given or self.body.get('environment_files'):
            return {}
        try:
            return format.parse_environment(given)
        except ValueError as error:
            raise exc.HTTPBadRequest(f'Environment not in valid format: {error}') from None

    def files(self):
        """Contents by name."""
        files = _map('files', self.body.get('files') or {})
        for name, content in files.items():
            if not isinstance(content, str):
                raise exc.HTTPBadRequest(f'The content of the file "{name}" is not a string.')
            self._check_size(content)
        return files

    def environment_files(self):
        """Names of the environments among the files, or None."""
        names = self.body.get('environment_files')
        if names is None:
            return None
        names = [names] if isinstance(names, str) else names
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise BadRequest('environment_files must be a list of names of files.', 'ValueError')
        return names

    def files_container(self):
        """The container that holds the files, or None."""
        name = self.body.get('files_container')
        if name is not None and not isinstance(name, str):
            raise BadRequest('files_container must be a string.', 'ValueError')
        return name

    def brings_nothing(self):
        """Whether the body leaves all as it is."""
        return not any(self.body.get(key) for key in (*NEW_CONTENT, api.PARAM_CLEAR_PARAMETERS))

    def args(self, is_update=False):
        """All else in the body, for the engine; what we know is turned into what the engine expects."""
        args = {key: value for key, value in self.body.items() if key not in OWN}
        if api.PARAM_TIMEOUT in args:
            args[api.PARAM_TIMEOUT] = params.whole(api.PARAM_TIMEOUT, args[api.PARAM_TIMEOUT])
        if args.get(api.PARAM_TAGS) is not None:
            args[api.PARAM_TAGS] = _tags(args[api.PARAM_TAGS])
        if api.PARAM_CONVERGE in args:
            args[api.PARAM_CONVERGE] = _converge(args[api.PARAM_CONVERGE], is_update)
        if api.PARAM_DISABLE_ROLLBACK in args:
            args[api.PARAM_DISABLE_ROLLBACK] = _rollback(args[api.PARAM_DISABLE_ROLLBACK])
        if api.PARAM_CLEAR_PARAMETERS in args:
            args[api.PARAM_CLEAR_PARAMETERS] = _names(api.PARAM_CLEAR_PARAMETERS, args[api.PARAM_CLEAR_PARAMETERS])
        if api.PROTECTED in args:
            args[api.PROTECTED] = params.flag(api.PROTECTED, args[api.PROTECTED])
        if api.ON_REPLACE in args:
            args[api.ON_REPLACE] = _on_replace(args[api.ON_REPLACE], is_update)
        return args


def _map(name, value, error_type='ValueError'):
    if isinstance(value, dict):
        return value
    if value == []:
        return {}  # what some languages make of an empty map
    raise BadRequest(f'{name} must be a map.', error_type)


def _tags(value):
    if not isinstance(value, str):
        raise BadRequest('tags must be a string of tags with commas between them.', 'AttributeError')
    if '\0' in value:
        raise exc.HTTPBadRequest('A tag contains a NUL character.')
    return params.tag_list(api.PARAM_TAGS, value)


def _converge(value, is_update):
    if not is_update:
        raise exc.HTTPBadRequest('converge flag only supported in stack update (or update preview) request.')
    return params.flag(api.PARAM_CONVERGE, value)


def _on_replace(value, is_update):
    if not is_update:
        raise exc.HTTPBadRequest('on_replace says what an update may do: a create replaces nothing.')
    if value not in api.ON_REPLACE_VALUES:
        raise exc.HTTPBadRequest(
            f'Unrecognized value "{value}" for "on_replace", acceptable values are: {", ".join(api.ON_REPLACE_VALUES)}.'
        )
    return value


def _rollback(value):
    try:
        return params.flag(api.PARAM_DISABLE_ROLLBACK, value)
    except exc.HTTPBadRequest as error:
        raise BadRequest(error.detail, 'ValueError') from None


def _names(name, value):
    names = [value] if isinstance(value, str) else value or []
    if not isinstance(names, list):
        raise BadRequest(f'{name} must be a list of names.', 'ValueError')
    return names
