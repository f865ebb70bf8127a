"""Hidden types: their service was discontinued, or another type has replaced them.

Templates that name them are still parsed, and stacks that contain them can be deleted; they
represent nothing. Each row of TABLE holds the support status of a type, since when it has it, and
the statuses before.
"""

import functools

from heat_lite.resources.heat.none import NoneResource
from heat_lite.template import support
from heat_lite.template.schema import string, text

TABLE = """
    OS::Aodh::CombinationAlarm             hidden 9.0.0 deprecated 7.0.0 supported 2014.1
    OS::Designate::Domain                  hidden 10.0.0 deprecated 8.0.0 supported 5.0.0
    OS::Designate::Record                  hidden 10.0.0 deprecated 8.0.0 supported 5.0.0
    OS::Glance::Image                      hidden 22.0.0 deprecated 8.0.0 supported 2014.2
    OS::Heat::HARestarter                  hidden 10.0.0 deprecated 2015.1
    OS::Magnum::Bay                        hidden 11.0.0 deprecated 9.0.0 supported 6.0.0
    OS::Monasca::AlarmDefinition  hidden 25.0.0 deprecated 22.0.0 supported 7.0.0 unsupported 5.0.0
    OS::Monasca::Notification  hidden 25.0.0 deprecated 22.0.0 supported 7.0.0 supported 5.0.0
    OS::Neutron::HealthMonitor             hidden 9.0.0 deprecated 7.0.0
    OS::Neutron::LBaaS::HealthMonitor      hidden 21.0.0 supported 6.0.0
    OS::Neutron::LBaaS::L7Policy           hidden 21.0.0 supported 7.0.0
    OS::Neutron::LBaaS::L7Rule             hidden 21.0.0 supported 7.0.0
    OS::Neutron::LBaaS::Listener           hidden 21.0.0 supported 6.0.0
    OS::Neutron::LBaaS::LoadBalancer       hidden 21.0.0 supported 6.0.0
    OS::Neutron::LBaaS::Pool               hidden 21.0.0 supported 6.0.0
    OS::Neutron::LBaaS::PoolMember         hidden 21.0.0 supported 6.0.0
    OS::Neutron::LoadBalancer              hidden 9.0.0 deprecated 7.0.0 supported 2014.1
    OS::Neutron::Pool                      hidden 9.0.0 deprecated 7.0.0
    OS::Neutron::PoolMember                hidden 9.0.0 deprecated 7.0.0 supported 2014.1
    OS::Nova::FloatingIP                   hidden 11.0.0 deprecated 9.0.0 supported 2014.1
    OS::Sahara::Cluster                    hidden 23.0.0 deprecated 22.0.0 supported 5.0.0
    OS::Sahara::ClusterTemplate            hidden 23.0.0 deprecated 22.0.0 supported 2014.2
    OS::Sahara::DataSource                 hidden 23.0.0 deprecated 22.0.0 supported 5.0.0
    OS::Sahara::ImageRegistry              hidden 23.0.0 deprecated 22.0.0 supported 5.0.0
    OS::Sahara::Job                        hidden 23.0.0 deprecated 22.0.0 supported 8.0.0
    OS::Sahara::JobBinary                  hidden 23.0.0 deprecated 22.0.0 supported 5.0.0
    OS::Sahara::NodeGroupTemplate          hidden 23.0.0 deprecated 22.0.0 supported 2014.2
    OS::Senlin::Cluster                    hidden 23.0.0 deprecated 22.0.0 supported 6.0.0
    OS::Senlin::Node                       hidden 23.0.0 deprecated 22.0.0 supported 6.0.0
    OS::Senlin::Policy                     hidden 23.0.0 deprecated 22.0.0 supported 6.0.0
    OS::Senlin::Profile                    hidden 23.0.0 deprecated 22.0.0 supported 6.0.0
    OS::Senlin::Receiver                   hidden 23.0.0 deprecated 22.0.0 supported 6.0.0
    OS::Vitrage::Template                  hidden 27.0.0 deprecated 26.0.0 supported 16.0.0
"""
#: the facts about some types that go beyond the table: attributes of their classes
MORE = {
    'OS::Aodh::CombinationAlarm': {'default_client_name': 'aodh', 'entity': 'alarm'},
    'OS::Nova::FloatingIP': {
        'properties_schema': {'pool': string('Name of the floating IP pool.')},
        'attributes_schema': {
            'ip': text('IP address of the floating IP.'),
            'pool': text('Name of the floating IP pool.'),
        },
    },
}

#: the names of Heat's classes that differ from the end of the type
HEAT_CLASSES = {
    'OS::Designate::Domain': 'DesignateDomain',
    'OS::Designate::Record': 'DesignateRecord',
    'OS::Glance::Image': 'GlanceImage',
    'OS::Heat::HARestarter': 'Restarter',
    'OS::Monasca::AlarmDefinition': 'MonascaAlarmDefinition',
    'OS::Monasca::Notification': 'MonascaNotification',
    'OS::Nova::FloatingIP': 'NovaFloatingIp',
    'OS::Sahara::Cluster': 'SaharaCluster',
    'OS::Sahara::ClusterTemplate': 'SaharaClusterTemplate',
    'OS::Sahara::ImageRegistry': 'SaharaImageRegistry',
    'OS::Sahara::Job': 'SaharaJob',
    'OS::Sahara::NodeGroupTemplate': 'SaharaNodeGroupTemplate',
    'OS::Vitrage::Template': 'VitrageTemplate',
}


def class_name(type_name):
    return type_name.replace('::', '')


ROWS = {class_name(line.split()[0]): line.split() for line in TABLE.split('\n') if line}


@functools.cache
def __getattr__(name):
    """Return the class of a hidden type by the name of the class."""
    if name not in ROWS:
        raise AttributeError(name)
    type_name, *statuses = ROWS[name]
    status = None
    for name_of_status, version in reversed(list(zip(statuses[::2], statuses[1::2], strict=True))):
        status = support.SupportStatus(name_of_status.upper(), version, previous=status)
    members = {
        '__doc__': 'A hidden type. It represents nothing.',
        'support_status': status,
        'heat_class': HEAT_CLASSES.get(type_name, type_name.rpartition('::')[2]),
        '__module__': __name__,
    }
    return type(name, (NoneResource,), {**members, **MORE.get(type_name, {})})
