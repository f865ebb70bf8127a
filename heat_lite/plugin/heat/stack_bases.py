"""Bases of Heat with a nested stack, a user or signals, for plug-ins."""

from collections.abc import Callable
from typing import Any

from heat_lite.common import ec2
from heat_lite.common.value_texts import from_json
from heat_lite.common.value_types import Value, Values
from heat_lite.plugin.heat import handler_pairs
from heat_lite.plugin.heat.service_types import subclassable
from heat_lite.resources.base import signal_responder, stack_resource, stack_user, wait_condition
from heat_lite.template import reader
from heat_lite.template.template import Template

_StackResource: Any = subclassable(stack_resource.StackResource, 'StackResource')
_SignalResponder: Any = subclassable(signal_responder.SignalResponder, 'SignalResponder')
_StackUser: Any = subclassable(stack_user.StackUser, 'StackUser')
BaseWaitConditionHandle: Any = subclassable(wait_condition.Handle, 'BaseWaitConditionHandle')
WaitConditionFailure = wait_condition.WaitConditionFailure
WaitConditionTimeout = wait_condition.WaitConditionTimeout


SIGNAL = 'signal'
#: the last part of the path of a signed URL, and the method of HTTP that it is for
SIGNED_METHODS = {SIGNAL: 'POST', 'waitcondition': 'PUT'}


class StackResource(_StackResource):  # type: ignore[misc]
    """Base of types with a nested stack. ``create_with_template`` and its siblings begin the work,
    ``check_create_complete`` continues it.
    """

    def create_with_template(
        self,
        child_template: Value,
        user_params: Values | None = None,
        timeout_mins: int | None = None,
    ) -> Value:
        """Begin to create the nested stack; the template is a map, or its text."""
        made = super().create_with_template(_document(child_template), user_params, timeout_mins)
        return self.begin_work(handler_pairs.CREATE, made)

    def update_with_template(
        self,
        child_template: Value,
        user_params: Values | None = None,
        timeout_mins: int | None = None,
    ) -> Value:
        made = super().update_with_template(_document(child_template), user_params, timeout_mins)
        return self.begin_work('update', made)

    def delete_nested(self) -> Value:
        return self.begin_work('delete', super().delete_nested())

    def _complete_template(self, template: Value, params: Values | None) -> Template:
        return super()._complete_template(_document(template), params)

    def get_output(self, op: str) -> Value:
        """Return the value of an output of the nested stack."""
        return self.nested_stack.output(op)

    def has_nested(self) -> bool:
        return self.nested() is not None

    def _resolve_attribute(self, name: str) -> Value:
        return self.get_output(name) if self.has_nested() else None


def _document(template: Value) -> Value:
    """Return a nested template as a map, if it is a text."""
    return reader.parse(template) if isinstance(template, str) else template


class _UserMethods:
    """The methods of a type with a stack user, by Heat's names."""

    create_user: Callable[[], None]
    delete_user: Callable[[], None]
    create_keypair: Callable[[], None]
    user_id: str | None

    def _create_user(self) -> None:
        self.create_user()

    def _delete_user(self) -> None:
        self.delete_user()

    def _create_keypair(self) -> None:
        self.create_keypair()

    def _get_user_id(self) -> str | None:
        return self.user_id


class StackUser(_UserMethods, _StackUser):  # type: ignore[misc]
    """Base of types with a stack user."""


class SignalResponder(_UserMethods, _SignalResponder):  # type: ignore[misc]
    """Base of types that receive signals, with the methods that make URLs for them."""

    signed_endpoint, signed_method = SIGNAL, SIGNED_METHODS[SIGNAL]

    @property
    def password(self) -> str | None:
        return self.data().get('password')

    def _get_ec2_signed_url(self, signal_type: str = '/signal', never_expire: bool = False) -> str:
        """Return a URL that needs no token; it never expires. ``signal_type`` is ``/signal`` (for
        POST) or ``/waitcondition`` (for PUT).
        """
        wanted = signal_type.strip('/')
        self.signed_endpoint, self.signed_method = wanted, SIGNED_METHODS[wanted]
        self._require_transport()
        found, data = self.signed_url(), self.data()
        if signal_responder.ACCESS not in data or f'/{wanted}/' in found:
            return found
        other = next(each for each in SIGNED_METHODS if f'/{each}/' in found)
        url = found.partition('?')[0].replace(f'/{other}/', f'/{wanted}/', 1)
        keys = data[signal_responder.ACCESS], data[signal_responder.SECRET]
        return ec2.signed_url(url, *keys, self.signed_method)

    def _get_heat_signal_url(self, project_id: str | None = None) -> str | None:
        """Return the URL of the REST API that takes signals."""
        self._require_transport()
        return self.signal_url()

    def _get_heat_signal_credentials(self) -> Values:
        """Return what a client needs to send signals with a token, as a map."""
        self._require_transport()
        return {} if self.users is None else self.login_values()

    def _get_signal(self, signal_type: str = '/signal', multiple_signals: bool = False) -> Values:
        self._require_transport()
        return from_json(self.signal_attribute() or '{}')

    def _require_transport(self) -> None:
        if self.resource_id is not None and self.signal_url() is None:
            self.create_signal_transport()
            self.stack.journal.flush()

    def _delete_signals(self) -> None:
        self.delete_signal_transport()
