"""Files of a request that are objects of a container in Swift (``files_container``).

Tests: tests/functional/test_files_container.py.
"""

from collections.abc import Mapping

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.engine.runtime import Runtime

REFUSALS = (errors.NotFound, errors.Forbidden, errors.BadRequest, errors.NoCloud)


def with_container(
    runtime: Runtime,
    context: RequestContext,
    files: Mapping[str, str] | None,
    container: str | None,
) -> dict[str, str]:
    """Return the contents of files by their names: ``files``, and the objects of ``container``.

    A file of the request replaces the object of its name, which is not read. Raises NotFound
    without the container, DownloadLimitExceeded if it is larger than a request may be, and Invalid
    for an object that is no text.
    """
    given = dict(files or {})
    if not container:
        return given
    try:
        return {**_objects(runtime, context, container, given), **given}
    except REFUSALS as error:
        raise exception.NotFound(
            f'Could not fetch files from container {container}, reason: {error}.'
        ) from None


def _objects(
    runtime: Runtime, context: RequestContext, container: str, skipped: Mapping[str, str]
) -> dict[str, str]:
    if '/' in container or container in ('.', '..'):  # the URL would name something else
        raise errors.NotFound('this is not the name of a container')
    swift = runtime.clients(context).client('swift')
    size, names = swift.describe_container(container)
    _check_size(runtime, size)
    contents: dict[str, str] = {}
    for name in names:
        if name in skipped:
            continue
        try:
            contents[name] = swift.get_bytes(container, name).decode()
        except UnicodeDecodeError:
            raise exception.Invalid(
                reason=f'the object "{name}" of container {container} is not a text in UTF-8'
            ) from None
        _check_size(runtime, sum(map(len, contents.values())))
    return contents


def _check_size(runtime: Runtime, size: int) -> None:
    limit = runtime.limits.max_json_body_size
    if size > limit:
        raise exception.DownloadLimitExceeded(
            f'Total size of files to download ({size} bytes) exceeds maximum allowed '
            f'({limit} bytes).'
        )
