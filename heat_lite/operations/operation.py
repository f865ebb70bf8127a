"""One operation of the REST API: its declaration gives all that is derived from it.

Those are the route (``api/v1/application.py``), the policy rule (``policies/rules.py``), the part
of the OpenAPI document (``api/openapi.py``), and the method of ``rpc/client.py`` that it calls.
"""

import dataclasses
from collections.abc import Mapping

from heat_lite.common.value_types import Values
from heat_lite.operations.remote_method import Method

# Default policy rules: who may use an operation.
READER = 'role:reader and project_id:%(project_id)s'
MEMBER = 'role:member and project_id:%(project_id)s'
ADMIN = 'role:admin and project_id:%(project_id)s'
MEMBER_OR_STACK_USER = f'({MEMBER}) or (role:heat_stack_user and project_id:%(project_id)s)'
READER_OR_STACK_USER = f'({READER}) or (role:heat_stack_user and project_id:%(project_id)s)'
NO_ONE = 'rule:deny_everybody'

# Kinds of query parameters; ``api/v1/params.py`` reads them.
FLAG, OPTIONAL_FLAG = 'flag', 'optional_flag'
INTEGER, OPTIONAL_INTEGER = 'integer', 'optional_integer'
TEXT, TEXTS, ONE_OR_LIST, TAGS = 'text', 'texts', 'one_or_list', 'tags'

# Paths below /v1/.
TENANT = '{tenant_id}'
STACKS = f'{TENANT}/stacks'
NAMED = f'{STACKS}/{{stack_name}}'
STACK = f'{NAMED}/{{stack_id}}'
RESOURCE = f'{STACK}/resources/{{resource_name}}'

#: the rule of what prepares a validation
VALIDATE = 'stacks:validate_template'

# JSON Schemas of bodies.
STRING = {'type': 'string'}
OBJECT: Values = {'type': 'object'}
ANY: Values = {}


@dataclasses.dataclass(frozen=True)
class Operation:
    """A method and a path of the API, and what they do.

    ``name`` is ``controller.action``. ``default`` is the default of the operation's policy rule,
    which is named after it: ``controller:action``. ``rule`` is another name of the rule; with the
    rule None the action enforces the policy itself, by one of ``rules`` ({name: default}). An empty
    ``default`` belongs to a rule of another operation.

    ``query`` has the kinds of the query parameters, ``body`` the schema of the body. ``status`` is
    that of success.

    With ``calls`` the operation needs no controller: the gaps of the path and the query are the
    arguments of the method, under the names of ``sends`` if they differ. The response is the reply,
    or with ``key`` a map of this key to the reply. ``columns`` are the keys of the reply that the
    response has, all by default.
    """

    method: str
    path: str
    name: str
    summary: str
    default: str = ''
    rule: str | None = ''
    rules: Mapping[str, str] = dataclasses.field(default_factory=dict)
    query: Mapping[str, str] = dataclasses.field(default_factory=dict)
    body: Values = dataclasses.field(default_factory=lambda: OBJECT)
    status: int = 200
    calls: Method | None = None
    sends: Mapping[str, str] = dataclasses.field(default_factory=dict)
    key: str = ''
    columns: tuple[str, ...] = ()

    @property
    def rule_name(self) -> str | None:
        """The name of the policy rule; None if the action enforces the policy itself."""
        return self.name.replace('.', ':') if self.rule == '' else self.rule

    @property
    def defaults(self) -> dict[str, str]:
        """The policy rules that the operation declares, and their defaults."""
        own = {self.rule_name: self.default} if self.rule_name and self.default else {}
        return {**own, **self.rules}
