"""OS::Magnum::BayModel."""

from heat_lite.resources.openstack.magnum.cluster_template import ClusterTemplate
from heat_lite.template import support


class BayModel(ClusterTemplate):
    """The former name of a cluster template."""

    resource_type = 'OS::Magnum::BayModel'
    support_status = support.SupportStatus(
        support.HIDDEN,
        '11.0.0',
        previous=support.SupportStatus(
            support.DEPRECATED,
            '9.0.0',
            previous=support.history('supported 5.0.0'),
            substitute=ClusterTemplate,
        ),
    )
