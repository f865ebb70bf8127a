"""Changes as lists of steps, for the services that want them so."""


def steps(present, values):
    """What turns the object ``present`` into one with these values; what is None goes."""
    return [_step(name, value, present) for name, value in values.items() if value is not None or present.get(name) is not None]


def _step(name, value, present):
    if value is None:
        return {'op': 'remove', 'path': f'/{name}'}
    return {'op': 'replace' if name in present else 'add', 'path': f'/{name}', 'value': value}
