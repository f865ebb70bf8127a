"""Options of the caches of answers from the cloud."""

from oslo_config import cfg
from oslo_config.cfg import Opt


def _cache(content: str, seconds: int, note: str = '') -> list[Opt]:
    return [
        cfg.BoolOpt('caching', default=True, help=f'Cache {content}.{note}'),
        cfg.IntOpt(
            'expiration_time',
            default=seconds,
            help=f'Number of seconds that the cache keeps {content}.{note}',
        ),
    ]


GROUPS = {
    'constraint_validation_cache': _cache(
        'the results of the validation of constraints',
        60,
        ' Only the existence of an object is cached, for its project; that it is missing is not.',
    ),
    'service_extension_cache': _cache('the extensions and microversions of a service', 3600),
    'resource_finder_cache': _cache('the id that was found for a name of a cloud resource', 3600),
}
