"""The types of dynamic routing: OS::Neutron::BGPSpeaker and OS::Neutron::BGPPeer."""

from heat_lite.resources.base.property_rules import missing, refuse
from heat_lite.resources.openstack.neutron import agents
from heat_lite.resources.openstack.neutron.base import (
    NeutronResource,
    needs_extension,
    neutron_rest,
    project_property,
)
from heat_lite.template.schema import (
    OURS,
    integer,
    list_,
    list_attribute,
    name_property,
    string,
    switch,
)

#: {property of a speaker: the object in the names of its actions, its key in their body}
LINKS = {'networks': ('gateway_network', 'network_id'), 'peers': ('bgp_peer', 'bgp_peer_id')}
AGENTS = agents.Agents('bgp-dragents', 'bgp-drinstances', 'bgp_speaker_id')
LAST_AS = 4294967295


class BGPSpeaker(NeutronResource):
    """A BGP speaker: announces routes of the cloud to BGP peers. For administrators."""

    resource_type = 'OS::Neutron::BGPSpeaker'
    since = OURS
    rest = neutron_rest('/bgp-speakers', 'bgp_speaker', 'bgp')

    properties_schema = {
        'name': name_property(),
        'local_as': integer(
            'Number of the autonomous system of the speaker.', required=True, min=1, max=LAST_AS
        ),
        'advertise_floating_ip_host_routes': switch('Whether floating IPs are announced.'),
        'advertise_tenant_networks': switch('Whether networks of projects are announced.'),
        'dragent_ids': list_(
            'Ids of the dynamic routing agents of the speaker.',
            string(),
            update_allowed=True,
            sent=False,
        ),
        'ip_version': integer('IP version of the routes.', default=4, allowed=[4, 6]),
        'networks': list_(
            'External networks whose routes are announced, by name or id.',
            string(ref='neutron.network'),
            update_allowed=True,
            sent=False,
        ),
        'peers': list_(
            'BGP peers of the speaker, by name or id.',
            string(ref='neutron.bgp_peer'),
            update_allowed=True,
            sent=False,
        ),
        'project': project_property('BGP speaker'),
    }
    property_rules = needs_extension('bgp_dragent_scheduler', 'dragent_ids')
    attributes_schema = {
        'networks': list_attribute('Ids of the networks of the speaker.'),
        'peers': list_attribute('Ids of the BGP peers of the speaker.'),
    }
    observed_keys = {name: name for name in LINKS}

    def follow_up(self, action, diff):
        yield from super().follow_up(action, diff)
        for name, (noun, key) in LINKS.items():
            if name in diff:
                present, wanted = set(self.fetch()[name]), set(diff[name] or ())
                for verb, some in (('remove', present - wanted), ('add', wanted - present)):
                    for each in sorted(some):
                        path = f'{self.object_path()}/{verb}_{noun}'
                        yield from self.send('PUT', path, {key: each})
        if 'dragent_ids' in diff:
            yield from agents.assign(self, AGENTS, diff['dragent_ids'])


class BGPPeer(NeutronResource):
    """A BGP peer: a router outside of the cloud. For administrators."""

    resource_type = 'OS::Neutron::BGPPeer'
    since = OURS
    rest = neutron_rest('/bgp-peers', 'bgp_peer', 'bgp')

    properties_schema = {
        'name': name_property(),
        'peer_ip': string('Address of the BGP peer.', required=True, custom='ip_addr'),
        'remote_as': integer(
            'Number of the autonomous system of the peer.', required=True, min=1, max=LAST_AS
        ),
        'auth_type': string(
            'Authentication of the session.', default='none', allowed=['none', 'md5']
        ),
        'password': string('Password of the session, for md5.', update_allowed=True),
        'project': project_property('BGP peer'),
    }
    property_rules = (
        refuse(
            'The authentication md5 needs the property "password".',
            auth_type=('md5',),
            password=missing,
        ),
    )
