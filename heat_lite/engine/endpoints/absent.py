"""The doors that are not there yet: each answers with a clear error instead of an unknown method."""

from heat_lite.common import exception

#: method -> what the user asked for
ABSENT = {
    'migrate_convergence_1': 'Migration to convergence',
    'list_software_configs': 'Software configuration',
    'show_software_config': 'Software configuration',
    'create_software_config': 'Software configuration',
    'delete_software_config': 'Software configuration',
    'list_software_deployments': 'Software deployment',
    'metadata_software_deployments': 'Software deployment',
    'show_software_deployment': 'Software deployment',
    'create_software_deployment': 'Software deployment',
    'update_software_deployment': 'Software deployment',
    'check_software_deployment': 'Software deployment',
    'signal_software_deployment': 'Software deployment',
    'delete_software_deployment': 'Software deployment',
}


def _refusal(method, feature):
    def refuse(self, context, **arguments):
        raise exception.NotSupported(feature=feature)

    refuse.__name__ = method
    return refuse


#: an endpoint with all these methods
Absent = type('Absent', (), {method: _refusal(method, feature) for method, feature in ABSENT.items()})
