"""JSON Patch (RFC 6902), for services whose update requests are lists of operations."""


def operations(present, values):
    """Return the operations that give the object ``present`` these values.

    A value of None removes the key.
    """
    return [
        _operation(name, value, present)
        for name, value in values.items()
        if value is not None or present.get(name) is not None
    ]


def _operation(name, value, present):
    if value is None:
        return {'op': 'remove', 'path': f'/{name}'}
    return {'op': 'replace' if name in present else 'add', 'path': f'/{name}', 'value': value}
