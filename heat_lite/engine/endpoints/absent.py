"""The doors that are not there yet: each answers with a clear error instead of an unknown method."""

from heat_lite.common import exception

#: method -> what the user asked for
ABSENT = {'migrate_convergence_1': 'Migration to convergence'}


def _refusal(method, feature):
    def refuse(self, context, **arguments):
        raise exception.NotSupported(feature=feature)

    refuse.__name__ = method
    return refuse


#: an endpoint with all these methods
Absent = type('Absent', (), {method: _refusal(method, feature) for method, feature in ABSENT.items()})
