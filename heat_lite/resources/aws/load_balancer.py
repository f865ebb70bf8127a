"""AWS::ElasticLoadBalancing::LoadBalancer."""

import contextlib
import copy

from heat_lite.clients import errors
from heat_lite.engine.resource.resource import Resource
from heat_lite.resources.aws.autoscaling import NETWORK
from heat_lite.resources.base.common_properties import not_implemented
from heat_lite.resources.base.group_balancer import NAMES, GroupBalancer
from heat_lite.resources.base.property_rules import above, for_each, refuse
from heat_lite.resources.base.template_resource import fetch_template
from heat_lite.template import checks
from heat_lite.template.schema import integer, list_, map_, string

#: the name of the nested template: the operator may map it to another one
TEMPLATE = 'AWS_ElasticLoadBalancing.template'
SERVER, FILE = 'LB_instance', '/etc/haproxy/haproxy.cfg'
#: parameters of the parent stack that are passed to the nested stack
INHERITED_PARAMETERS = ('LbImageId', 'LbFlavor', 'LBTimeout')
KEY, SUBNET = 'KeyName', 'SubnetId'
UNREACHABLE = '0.0.0.0'

EMPTY = 'Empty string; the attribute exists for compatibility with AWS.'
HEAD = """\
global
    daemon
    maxconn 256
    stats socket /var/run/haproxy-stats

defaults
    timeout connect 5s
    timeout client 50s
    timeout server 50s
"""


def _required(description):
    return integer(description, required=True)


class LoadBalancer(GroupBalancer):
    """A load balancer: a nested stack with a server that runs HAProxy."""

    resource_type = 'AWS::ElasticLoadBalancing::LoadBalancer'
    fetches_template = True

    properties_schema = {
        'AvailabilityZones': list_('Availability zones; accepted, no effect.', required=True),
        'HealthCheck': map_(
            'Health check of the instances.',
            {
                'HealthyThreshold': _required(
                    'Number of consecutive successful checks after which an instance is healthy.'
                ),
                'Interval': _required('Seconds between two checks.'),
                'Target': string(
                    'Target of the check, such as TCP:22 or HTTP:80/path.', required=True
                ),
                'Timeout': _required('Timeout of a check in seconds.'),
                'UnhealthyThreshold': _required(
                    'Number of consecutive failed checks after which an instance is unhealthy.'
                ),
            },
        ),
        'Instances': list_('IDs of the instances.', update_allowed=True),
        'Listeners': list_(
            'Listeners of the load balancer.',
            {
                'InstancePort': _required('Port of the instances.'),
                'LoadBalancerPort': _required('Port of the load balancer.'),
                'Protocol': string(
                    'Protocol of the listener.', required=True, allowed=['TCP', 'HTTP']
                ),
                'PolicyNames': not_implemented(list_),
                'SSLCertificateId': not_implemented(string),
            },
            required=True,
        ),
        'AppCookieStickinessPolicy': not_implemented(string),
        'LBCookieStickinessPolicy': not_implemented(string),
        'SecurityGroups': list_('Security groups of the load balancer.', update_allowed=True),
        'Subnets': not_implemented(list_),
    }
    # the outputs of the nested stack are no attributes
    has_attribute = Resource.has_attribute
    attributes_schema = {
        'CanonicalHostedZoneName': EMPTY,
        'CanonicalHostedZoneNameID': EMPTY,
        'DNSName': 'IP address of the load balancer.',
        'SourceSecurityGroup.GroupName': EMPTY,
        'SourceSecurityGroup.OwnerAlias': EMPTY,
    }

    property_rules = (
        for_each(
            'HealthCheck',
            refuse('Interval must be larger than Timeout', Timeout=above('Interval')),
        ),
    )

    def validate(self):
        super().validate()
        lists = ('Instances', 'SecurityGroups')
        checks.require_scalars(self.properties_schema, self.properties, lists)

    # ------------------------------------------------------------ the nested template

    def child_template(self):
        template = copy.deepcopy(fetch_template(self.stack.runtime.registry.files, TEMPLATE))
        server = template['Resources'][SERVER]
        for name in self._more_params():
            template['Parameters'].setdefault(name, {'Type': 'String'})
            server['Properties'][name] = {'Ref': name}
        init = (
            server.setdefault('Metadata', {})
            .setdefault('AWS::CloudFormation::Init', {})
            .setdefault('config', {})
        )
        file = init.setdefault('files', {}).setdefault(
            FILE, {'mode': '000644', 'owner': 'root', 'group': 'root'}
        )
        file['content'] = configuration(
            self.properties['Listeners'], self.properties['HealthCheck'], self._addresses()
        )
        return template

    def child_params(self):
        known = fetch_template(self.stack.runtime.registry.files, TEMPLATE)['Parameters']
        params = {
            name: self.stack.parameters[name]
            for name in INHERITED_PARAMETERS
            if name in known and name in self.stack.parameters
        }
        params |= self._more_params()
        if self.properties['SecurityGroups']:
            params['SecurityGroups'] = ','.join(map(str, self.properties['SecurityGroups']))
        return params

    def _more_params(self):
        """Return parameters that the nested template need not declare: the key pair, and the subnet
        of the instances.
        """
        key = {KEY: self.stack.parameters[KEY]} if KEY in self.stack.parameters else {}
        subnet = self.data().get(SUBNET)
        return key if subnet is None else {**key, SUBNET: subnet}

    def handle_create(self):
        """Create the nested stack in the subnet of the first instance, or in that of a group that
        names the balancer; other subnets may not reach it. The subnet never changes.
        """
        subnet = self._subnet_of(*(self.properties['Instances'] or ())[:1])
        subnet = subnet or self._subnet_of_groups()
        if subnet is not None:
            self.data_set(SUBNET, subnet)
        yield from super().handle_create()

    def _subnet_of(self, server=None):
        ports = self.client('neutron').list('/ports', 'ports', device_id=server) if server else ()
        return next((each['subnet_id'] for port in ports for each in port['fixed_ips']), None)

    def _subnet_of_groups(self):
        """Return the subnet of the first group that names the balancer, if it exists already."""
        for each in self.stack.current_resources():
            if not each.properties_schema.keys() >= {NAMES, NETWORK}:
                continue
            if self.name in (each.properties[NAMES] or ()):
                for subnet in filter(None, each.properties[NETWORK] or ()):
                    with contextlib.suppress(errors.NoCloud, errors.NoSuchObject, errors.NotFound):
                        return self.stack.clients().find('neutron.subnet', subnet)
        return None

    def _addresses(self):
        """Return the addresses of the instances and of the members of groups.

        An unreachable address stands for one that does not exist (yet).
        """
        servers = dict.fromkeys([*(self.properties['Instances'] or ()), *self.group_members()])
        return [self._address(each) for each in servers]

    def _address(self, server):
        try:
            found = self.client('nova').show(f'/servers/{server}', 'server')['addresses']
        except (errors.NotFound, errors.BadRequest, errors.NoCloud):
            return UNREACHABLE
        return next((each['addr'] for network in found.values() for each in network), UNREACHABLE)

    # ------------------------------------------------------------ references and attributes

    def get_reference_id(self):
        return self.name

    def nested_attribute(self, name, path):
        if name == 'DNSName':
            return self.nested_stack.output('PublicIp')
        return super().nested_attribute(name, path) if name not in self.attributes_schema else ''


def configuration(listeners, check, addresses):
    """Return the configuration of HAProxy with a section for each listener."""
    return '\n'.join(
        [
            HEAD,
            *(
                _listener_section(number, each, check, addresses)
                for number, each in enumerate(listeners, 1)
            ),
        ]
    )


def _listener_section(number, listener, check, addresses):
    http = listener['Protocol'] == 'HTTP'
    lines = [
        f'listen way{number}',
        f'    bind *:{listener["LoadBalancerPort"]}',
        f'    mode {"http" if http else "tcp"}',
        '    balance roundrobin',
    ]
    if http:
        lines += ['    option http-server-close', '    option forwardfor']
    options = 'check'
    if check:
        protocol, _, rest = check['Target'].partition(':')
        port, slash, path = rest.partition('/')
        if protocol == 'HTTP':
            lines.append(f'    option httpchk GET /{path}' if slash else '    option httpchk')
        lines.append(f'    timeout check {check["Timeout"]}s')
        options = (
            f'check inter {check["Interval"]}s fall {check["UnhealthyThreshold"]} '
            f'rise {check["HealthyThreshold"]}'
        )
        options += (
            f' port {port}' if port.isdigit() and int(port) != listener['InstancePort'] else ''
        )
    lines += [
        f'    server server{index} {address}:{listener["InstancePort"]} {options}'
        for index, address in enumerate(addresses, 1)
    ]
    return '\n'.join(lines) + '\n'
