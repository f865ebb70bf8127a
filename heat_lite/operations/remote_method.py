"""Methods of the RPC contract: one line declares one::

    show_stack = call('show_stack', '1.20', 'stack_identity', resolve_outputs=True)

The line gives the method, the lowest server version that has it, the required arguments, and the
optional arguments with their defaults. Arguments are passed by name.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, Protocol, Self, overload

from heat_lite.common.value_types import Value, Values

# Default of an argument that is sent only if the caller passes it.
ABSENT = object()


@dataclasses.dataclass(frozen=True)
class Since:
    """The same default for an argument that only servers of this version and later know.

    The other arguments are sent to older servers, too; with this one they answer EngineTooOld.
    """

    version: str


class Client(Protocol):
    """What sends requests; a ``rpc.contract.RpcClient``."""

    def invoke(self, method: 'Method', context: Any, /, **given: object) -> Value: ...


def call(name: str, version: str = '1.0', *required: str, **defaults: object) -> 'Method':
    """Declare a method that returns a value."""
    return Method(name, version, required, defaults, expects_reply=True)


def cast(name: str, version: str = '1.0', *required: str, **defaults: object) -> 'Method':
    """Declare a one-way method: the client does not wait for a reply."""
    return Method(name, version, required, defaults, expects_reply=False)


@dataclasses.dataclass(frozen=True, eq=False)
class Method:
    """Descriptor of one remote method; accessed on a client it is a callable."""

    name: str
    version: str
    required: tuple[str, ...]
    defaults: Values
    expects_reply: bool

    @overload
    def __get__(self, client: None, owner: type) -> Self: ...

    @overload
    def __get__(self, client: Client, owner: type | None = None) -> Callable[..., Value]: ...

    def __get__(
        self, client: Client | None, owner: type | None = None
    ) -> Self | Callable[..., Value]:
        return self if client is None else functools.partial(client.invoke, self)

    def arguments(self, given: Values) -> Values:
        """Return the arguments to send: ``given`` and the defaults.

        Raises TypeError when a required argument is missing or an argument is unknown.
        """
        sent = {**self.defaults, **given}
        missing = [name for name in self.required if name not in sent]
        unknown = [name for name in sent if name not in self.defaults and name not in self.required]
        if missing or unknown:
            raise TypeError(f'{self.name}: missing {missing}, unknown {unknown}')
        return {name: value for name, value in sent.items() if not _is_absent(value)}

    def version_for(self, args: Values) -> str:
        """Return the lowest server version that knows the method and these arguments."""
        defaults = [self.defaults.get(name) for name in args]
        added = [each.version for each in defaults if isinstance(each, Since)]
        return max([self.version, *added], key=_numbers)


def _is_absent(value: Value) -> bool:
    return value is ABSENT or isinstance(value, Since)


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split('.')]
