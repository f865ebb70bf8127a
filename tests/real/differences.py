"""Differences between the observations of two services, path by path."""


def between(expected, found, path=''):
    """Yield a text for each path whose values differ."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in sorted({*expected, *found}):
            yield from between(expected.get(key), found.get(key), f'{path}/{key}')
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for number, (one, other) in enumerate(zip(expected, found, strict=True)):
            yield from between(one, other, f'{path}/{number}')
    elif expected != found:
        yield f'{path}\n    - {expected!r}\n    + {found!r}'
