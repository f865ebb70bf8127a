"""Hidden types: their service was discontinued, or another type has replaced them.

Templates that name them are still parsed, and stacks that contain them can be deleted; they
represent nothing. Each row of TABLE holds a type, the name of Heat's class, and the support status.
"""
# ruff: noqa: E501  a row of the table is not wrapped

import functools

from heat_lite.resources.heat.none import NoneResource
from heat_lite.template import support

TABLE = """
    OS::Aodh::CombinationAlarm CombinationAlarm hidden 9.0.0, deprecated 7.0.0, supported 2014.1
    OS::Designate::Domain DesignateDomain hidden 10.0.0, deprecated 8.0.0, supported 5.0.0
    OS::Designate::Record DesignateRecord hidden 10.0.0, deprecated 8.0.0, supported 5.0.0
    OS::Glance::Image GlanceImage hidden 22.0.0, deprecated 8.0.0, supported 2014.2
    OS::Heat::HARestarter Restarter hidden 10.0.0, deprecated 2015.1
    OS::Magnum::Bay Bay hidden 11.0.0, deprecated 9.0.0, supported 6.0.0
    OS::Monasca::AlarmDefinition MonascaAlarmDefinition hidden 25.0.0, deprecated 22.0.0, supported 7.0.0, unsupported 5.0.0
    OS::Monasca::Notification MonascaNotification hidden 25.0.0, deprecated 22.0.0, supported 7.0.0, supported 5.0.0
    OS::Neutron::HealthMonitor HealthMonitor hidden 9.0.0, deprecated 7.0.0
    OS::Neutron::LBaaS::HealthMonitor HealthMonitor hidden 21.0.0, supported 6.0.0
    OS::Neutron::LBaaS::L7Policy L7Policy hidden 21.0.0, supported 7.0.0
    OS::Neutron::LBaaS::L7Rule L7Rule hidden 21.0.0, supported 7.0.0
    OS::Neutron::LBaaS::Listener Listener hidden 21.0.0, supported 6.0.0
    OS::Neutron::LBaaS::LoadBalancer LoadBalancer hidden 21.0.0, supported 6.0.0
    OS::Neutron::LBaaS::Pool Pool hidden 21.0.0, supported 6.0.0
    OS::Neutron::LBaaS::PoolMember PoolMember hidden 21.0.0, supported 6.0.0
    OS::Neutron::LoadBalancer LoadBalancer hidden 9.0.0, deprecated 7.0.0, supported 2014.1
    OS::Neutron::Pool Pool hidden 9.0.0, deprecated 7.0.0
    OS::Neutron::PoolMember PoolMember hidden 9.0.0, deprecated 7.0.0, supported 2014.1
    OS::Sahara::Cluster SaharaCluster hidden 23.0.0, deprecated 22.0.0, supported 5.0.0
    OS::Sahara::ClusterTemplate SaharaClusterTemplate hidden 23.0.0, deprecated 22.0.0, supported 2014.2
    OS::Sahara::DataSource DataSource hidden 23.0.0, deprecated 22.0.0, supported 5.0.0
    OS::Sahara::ImageRegistry SaharaImageRegistry hidden 23.0.0, deprecated 22.0.0, supported 5.0.0
    OS::Sahara::Job SaharaJob hidden 23.0.0, deprecated 22.0.0, supported 8.0.0
    OS::Sahara::JobBinary JobBinary hidden 23.0.0, deprecated 22.0.0, supported 5.0.0
    OS::Sahara::NodeGroupTemplate SaharaNodeGroupTemplate hidden 23.0.0, deprecated 22.0.0, supported 2014.2
    OS::Senlin::Cluster Cluster hidden 23.0.0, deprecated 22.0.0, supported 6.0.0
    OS::Senlin::Node Node hidden 23.0.0, deprecated 22.0.0, supported 6.0.0
    OS::Senlin::Policy Policy hidden 23.0.0, deprecated 22.0.0, supported 6.0.0
    OS::Senlin::Profile Profile hidden 23.0.0, deprecated 22.0.0, supported 6.0.0
    OS::Senlin::Receiver Receiver hidden 23.0.0, deprecated 22.0.0, supported 6.0.0
    OS::Vitrage::Template VitrageTemplate hidden 27.0.0, deprecated 26.0.0, supported 16.0.0
"""
#: the facts about some types that go beyond the table: attributes of their classes
MORE = {
    'OS::Aodh::CombinationAlarm': {'default_client_name': 'aodh', 'entity': 'alarm'},
}


def class_name(type_name):
    return type_name.replace('::', '')


#: ``{class name: [type, name of Heat's class, support status]}``
ROWS = {class_name(line.split()[0]): line.split(maxsplit=2) for line in TABLE.strip().splitlines()}


@functools.cache
def __getattr__(name):
    """Return the class of a hidden type by the name of the class."""
    if name not in ROWS:
        raise AttributeError(name)
    type_name, heat_class, history = ROWS[name]
    members = {
        '__doc__': 'A hidden type. It represents nothing.',
        'support_status': support.history(history),
        '__module__': __name__,
        **MORE.get(type_name, {}),
    }
    return type(heat_class, (NoneResource,), members)
