"""Which microversion of an API is spoken: the newest that both sides know, and that the operator allows."""

import re

from keystoneauth1 import exceptions

#: what the operator may say: the newest that shall be used
OPTIONS = {
    'cinder': 'max_cinder_api_microversion',
    'ironic': 'max_ironic_api_microversion',
    'nova': 'max_nova_api_microversion',
}
_ROOT = re.compile(r'.*?/v\d+(\.\d+)?(?=/|$)')
_VERSION = re.compile(r'\d+\.\d+')


def spoken(conf, name, ours, told):
    """The one to use with a service, where ``ours`` is the newest that we know; ``told()`` is the newest of the service, None where it
    does not say."""
    allowed = getattr(conf, OPTIONS[name]) if name in OPTIONS else None
    known = [each for each in (ours, allowed, told()) if each and _VERSION.fullmatch(each)]
    return min(known, key=_number)


def newest(adapter):
    """The newest microversion that a service says it knows; None where it does not say."""
    root = _ROOT.match(adapter.endpoint_override)
    if root is None:
        return None
    try:
        answer = adapter.get(f'{root.group()}/', raise_exc=False, log=False, microversion=None)
        return _told(answer.json())
    except (exceptions.ClientException, ValueError):
        return None


def _told(body):
    """In ``{"version": {...}}`` or ``{"versions": [{...}]}`` it is under one of two names."""
    if not isinstance(body, dict):
        return None
    entries = body.get('versions') or [body.get('version')]
    for entry in entries:
        for key in ('version', 'max_version'):
            if isinstance(entry, dict) and _VERSION.fullmatch(str(entry.get(key))):
                return entry[key]
    return None


def _number(text):
    return tuple(map(int, text.split('.')))
