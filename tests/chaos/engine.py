"""An engine with the types of ``cloud``: what ``heat-lite-engine`` runs in each of its processes. The cloud's folder comes first."""

import pathlib
import sys

from heat_lite.cmd import concurrency, engine_worker, operator_types, settings, workers
from tests.chaos import cloud as chaos_cloud


def main(folder, *args):
    conf = settings.load(args, 'heat-lite-engine')
    concurrency.use(conf.heat_lite.concurrency)
    settings.start_logging(conf)
    chaos_cloud.cloud.folder = pathlib.Path(folder)
    registry = operator_types.registry(conf)
    for kind in chaos_cloud.TYPES:
        registry.register(kind.resource_type, kind)
    with workers.listening() as signals:
        engine_worker.run(conf, registry, signals)


if __name__ == '__main__':
    main(*sys.argv[1:])
