"""Options of the caches of answers from the cloud."""

from oslo_config import cfg


def _cache(content, seconds, note=''):
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
        ' The option is accepted, no effect here: resource_finder_cache caches the lookups that '
        'constraints need.',
    ),
    'service_extension_cache': _cache('the extensions and microversions of a service', 3600),
    'resource_finder_cache': _cache('the id that was found for a name of a cloud resource', 3600),
}
