"""The identity of a request as plain data, which RPC carries. It holds no clients."""

import types
import typing
from collections.abc import MutableMapping

from oslo_context import context as oslo_context

from heat_lite.common.value_types import Values


class RequestContext(oslo_context.RequestContext):
    """The identity of oslo.context with the attributes that orchestration adds.

    ``tenant_id`` is the id of the project. ``username`` and ``password`` come from the
    user/password pipeline, ``trust_id`` and ``trustor_user_id`` from stored credentials.
    ``region_name`` and ``auth_url`` select the cloud. ``auth_token_info`` is what Keystone said of
    a token that cannot ask Keystone itself (``{'token': {...}}``). Policy decides ``is_admin``
    when the context is created. ``stack_depth`` is the number of ``OS::Heat::Stack`` resources
    above a request, None for a request of a user; ``root_stack`` names the stack of the first one.
    """

    EXTRA = (
        'username',
        'password',
        'auth_url',
        'aws_creds',
        'trust_id',
        'trustor_user_id',
        'region_name',
        'auth_token_info',
    )
    NESTING = ('stack_depth', 'root_stack')

    def __init__(
        self,
        username: str | None = None,
        password: str | None = None,
        auth_url: str | None = None,
        aws_creds: typing.Any = None,
        trust_id: str | None = None,
        trustor_user_id: str | None = None,
        region_name: str | None = None,
        auth_token_info: Values | None = None,
        **kwargs: typing.Any,
    ) -> None:
        kwargs.setdefault('overwrite', True)
        super().__init__(**kwargs)
        self.username = username or self.user_name
        self.password = password
        self.auth_url = auth_url
        self.aws_creds = aws_creds
        self.trust_id = trust_id
        self.trustor_user_id = trustor_user_id
        self.region_name = region_name
        self.auth_token_info = auth_token_info
        self.stack_depth: int | None = None
        self.root_stack: str | None = None
        #: calls that OS::Heat::Stack resources made for this request in this process
        self.stack_calls = types.SimpleNamespace(count=0)

    @property
    def tenant_id(self) -> str | None:
        return self.project_id

    def to_dict(self) -> Values:
        """Return all attributes, including secrets, for RPC."""
        values = super().to_dict()
        values.update({name: getattr(self, name) for name in (*self.EXTRA, *self.NESTING)})
        values['roles'] = list(self.roles or ())
        return values

    @classmethod
    def from_dict(cls, values: Values, **kwargs: typing.Any) -> typing.Self:
        extra = {name: values.get(name) for name in cls.EXTRA}
        made = super().from_dict(values, **{**extra, **kwargs})
        for name in cls.NESTING:
            setattr(made, name, values.get(name))
        return made

    def in_region(self, name: str) -> typing.Self:
        """Return a copy of the context for another region."""
        return type(self).from_dict({**self.to_dict(), 'region_name': name})

    def for_stack_in(self, stack_name: str | None) -> typing.Self:
        """Return a copy for the requests of an ``OS::Heat::Stack`` of the stack ``stack_name``.

        The copy shares ``stack_calls`` with the original.
        """
        inner = type(self).from_dict(
            {
                **self.to_dict(),
                'stack_depth': (self.stack_depth or 0) + 1,
                'root_stack': self.root_stack or stack_name,
            },
            overwrite=False,
        )
        inner.stack_calls = self.stack_calls
        return inner

    def to_policy_values(self) -> MutableMapping[str, typing.Any]:
        values = super().to_policy_values()
        values['tenant'] = values['tenant_id'] = self.project_id
        return values


def admin_context(project_id: str | None = None) -> RequestContext:
    """Return the context of the service itself: for timers, clean-up and ``heat-lite-manage``."""
    return RequestContext(is_admin=True, project_id=project_id, overwrite=False)
