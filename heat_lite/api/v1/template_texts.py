"""What an editor asks while a template is written: findings, and completions at a place."""

import dataclasses
import json

from webob import exc

from heat_lite.api import wsgi
from heat_lite.api.v1.stack_request import RequestLimits
from heat_lite.common import exception
from heat_lite.common.value_types import Value, Values
from heat_lite.rpc.client import EngineClient

#: the keys of the two texts that are no files of the template
TEMPLATE, ENVIRONMENT = 'template', 'environment'


@dataclasses.dataclass
class TextController:
    client: EngineClient
    limits: RequestLimits

    def lint(self, request: wsgi.Request, tenant_id: str, body: Value) -> Values:
        """Return the findings of the linter in a template, an environment and files."""
        return {'findings': self.client.lint_template(request.context, texts=self._texts(body))}

    def complete(self, request: wsgi.Request, tenant_id: str, body: Value) -> Values:
        """Return what may stand at a line and a column, both counted from one."""
        texts = self._texts(body)
        file = body.get('file', TEMPLATE)
        if not isinstance(file, str) or file not in texts:
            raise exc.HTTPBadRequest('"file" must be the name of one of the texts.')
        place = {key: _number(body, key) for key in ('line', 'column')}
        return self.client.complete_template(request.context, texts=texts, file=file, **place)

    def _texts(self, body: Value) -> dict[str, str]:
        """Return all texts of a body by name. Raises HTTPBadRequest for anything but texts."""
        if not isinstance(body, dict) or not isinstance(body.get(TEMPLATE), str):
            raise exc.HTTPBadRequest('"template" must be the text of a template.')
        files = {} if body.get('files') is None else body['files']
        if not isinstance(files, dict) or not all(isinstance(text, str) for text in files.values()):
            raise exc.HTTPBadRequest('"files" must be a map of names to texts.')
        if {TEMPLATE, ENVIRONMENT} & files.keys():
            raise exc.HTTPBadRequest('No file may have the name "template" or "environment".')
        environment = '' if body.get(ENVIRONMENT) is None else body[ENVIRONMENT]
        if not isinstance(environment, str):
            raise exc.HTTPBadRequest('"environment" must be the text of an environment.')
        texts = {**files, TEMPLATE: body[TEMPLATE]}
        if environment:
            texts[ENVIRONMENT] = environment
        self._check_size(texts)
        return texts

    def _check_size(self, texts: dict[str, str]) -> None:
        size, limit = len(json.dumps(texts)), self.limits.template_size
        if size > limit:
            raise exception.RequestLimitExceeded(
                message=f'The texts ({size} bytes) exceed maximum allowed size ({limit} bytes).'
            )


def _number(body: Values, key: str) -> int:
    value = body.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise exc.HTTPBadRequest(f'"{key}" must be a number, counted from one.')
    return value
