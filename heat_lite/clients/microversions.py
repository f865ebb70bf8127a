"""Choice of the microversion of an API: the newest of client, service and operator's limit."""

import re
from collections.abc import Callable

from keystoneauth1 import adapter as ks_adapter, exceptions
from oslo_config import cfg

from heat_lite.common.value_types import Value

#: options by which the operator limits the microversion of a service
OPTIONS = {
    'cinder': 'max_cinder_api_microversion',
    'ironic': 'max_ironic_api_microversion',
    'nova': 'max_nova_api_microversion',
}
_ROOT = re.compile(r'.*?/v\d+(\.\d+)?(?=/|$)')
_VERSION = re.compile(r'\d+\.\d+')


def negotiate(
    conf: cfg.ConfigOpts, name: str, supported: str, service_maximum: Callable[[], str | None]
) -> str:
    """Return the microversion to use with a service.

    ``supported`` is the newest that the client supports. ``service_maximum()`` returns the newest
    of the service, or None if the service does not publish it.
    """
    limit = getattr(conf, OPTIONS[name]) if name in OPTIONS else None
    candidates = (supported, limit, service_maximum())
    return min((each for each in candidates if each and _VERSION.fullmatch(each)), key=_number)


def is_enough(used: str | None, needed: str) -> bool:
    """Return whether the microversion of requests is at least the one that is needed."""
    return bool(used and _VERSION.fullmatch(used) and _number(used) >= _number(needed))


def discover_maximum(adapter: ks_adapter.Adapter) -> str | None:
    """Return the newest microversion that a service publishes, or None."""
    root = _ROOT.match(adapter.endpoint_override or '')
    if root is None:
        return None
    try:
        response = adapter.get(f'{root.group()}/', raise_exc=False, log=False, microversion=None)
        return _maximum(response.json())
    except (exceptions.ClientException, ValueError):
        return None


def _maximum(body: Value) -> str | None:
    """Find the maximum in ``{"version": {...}}`` or ``{"versions": [{...}]}``."""
    if not isinstance(body, dict):
        return None
    entries = body.get('versions') or [body.get('version')]
    for entry in entries:
        for key in ('version', 'max_version'):
            if isinstance(entry, dict) and _VERSION.fullmatch(str(entry.get(key))):
                return entry[key]
    return None


def _number(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split('.')))
