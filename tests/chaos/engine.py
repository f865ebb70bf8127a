"""A worker of ``heat-lite-engine`` with the resource types of ``cloud``.

Usage: python -m tests.chaos.engine CLOUD_FOLDER [option of heat-lite-engine ...]
"""

import pathlib
import sys

from heat_lite.server import engine_worker, supervisor
from heat_lite.startup import concurrency, global_environment, settings
from tests.chaos import cloud as chaos_cloud


def main(folder, *args):
    conf = settings.load(args, 'heat-lite-engine')
    concurrency.use_native_threads()
    settings.start_logging(conf)
    chaos_cloud.cloud.folder = pathlib.Path(folder)
    registry = global_environment.build_registry(conf)
    for kind in chaos_cloud.TYPES:
        registry.register(kind.resource_type, kind)
    with supervisor.signal_stream() as signals:
        engine_worker.run(conf, registry, signals)


if __name__ == '__main__':
    main(*sys.argv[1:])
