"""AWS::ElasticLoadBalancing::LoadBalancer."""

import copy

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.nested import StackResource
from heat_lite.resources.template_resource import fetched
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import integer, list_, map_, string, text

#: the name under which the operator's template is found, or that which comes with the package
TEMPLATE = 'AWS_ElasticLoadBalancing.template'
SERVER, FILE = 'LB_instance', '/etc/haproxy/haproxy.cfg'
#: parameters of the stack around it that are handed on
HANDED_ON = ('LbImageId', 'LbFlavor', 'LBTimeout')
KEY, SUBNET = 'KeyName', 'SubnetId'
NOWHERE = '0.0.0.0'

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


class LoadBalancer(StackResource):
    """A server in a stack inside this one that leads what comes to others."""

    resource_type = 'AWS::ElasticLoadBalancing::LoadBalancer'

    properties_schema = {
        'AvailabilityZones': list_('Where it balances; kept for the sake of templates.', required=True),
        'HealthCheck': map_(
            'How it finds out who is well.',
            {
                'HealthyThreshold': _required('After how many good answers in a row a server is well.'),
                'Interval': _required('How many seconds are between two questions.'),
                'Target': string('What is asked, as in TCP:22 or HTTP:80/path.', required=True),
                'Timeout': _required('How many seconds an answer may take.'),
                'UnhealthyThreshold': _required('After how many bad answers in a row it is not.'),
            },
        ),
        'Instances': list_('The servers, by their references.', update_allowed=True),
        'Listeners': list_(
            'What leads where.',
            map_(
                None,
                {
                    'InstancePort': _required('The port of the servers.'),
                    'LoadBalancerPort': _required('The port to which it comes.'),
                    'Protocol': string('The protocol.', required=True, constraints=[AllowedValues(['TCP', 'HTTP'])]),
                    'PolicyNames': list_('Not used.', implemented=False),
                    'SSLCertificateId': string('Not used.', implemented=False),
                },
            ),
            required=True,
        ),
        'AppCookieStickinessPolicy': string('Not used.', implemented=False),
        'LBCookieStickinessPolicy': string('Not used.', implemented=False),
        'SecurityGroups': list_('Its security groups.', update_allowed=True),
        'Subnets': list_('Not used.', implemented=False),
    }
    attributes_schema = {
        'CanonicalHostedZoneName': text('Nothing here.'),
        'CanonicalHostedZoneNameID': text('Nothing here.'),
        'DNSName': text('Its address.'),
        'SourceSecurityGroup.GroupName': text('Nothing here.'),
        'SourceSecurityGroup.OwnerAlias': text('Nothing here.'),
    }

    def validate(self):
        super().validate()
        check = self.properties['HealthCheck']
        if check and check['Interval'] < check['Timeout']:
            raise exception.StackValidationFailed('Interval must be larger than Timeout')

    # ------------------------------------------------------------ the inside

    def child_template(self):
        template = copy.deepcopy(fetched(self.stack.runtime.registry.files, TEMPLATE))
        server = template['Resources'][SERVER]
        for name in self._more_params():
            template['Parameters'].setdefault(name, {'Type': 'String'})
            server['Properties'][name] = {'Ref': name}
        init = server.setdefault('Metadata', {}).setdefault('AWS::CloudFormation::Init', {}).setdefault('config', {})
        file = init.setdefault('files', {}).setdefault(FILE, {'mode': '000644', 'owner': 'root', 'group': 'root'})
        file['content'] = configuration(self.properties['Listeners'], self.properties['HealthCheck'], self._addresses())
        return template

    def child_params(self):
        known = fetched(self.stack.runtime.registry.files, TEMPLATE)['Parameters']
        params = {name: self.stack.parameters[name] for name in HANDED_ON if name in known and name in self.stack.parameters}
        params |= self._more_params()
        if self.properties['SecurityGroups']:
            params['SecurityGroups'] = ','.join(self.properties['SecurityGroups'])
        return params

    def _more_params(self):
        """What templates for load balancers need not know of: the key, and the subnet of the servers."""
        key = {KEY: self.stack.parameters[KEY]} if KEY in self.stack.parameters else {}
        subnet = self.data().get(SUBNET)
        return key if subnet is None else {**key, SUBNET: subnet}

    def handle_create(self):
        """It stays in the subnet that the first of its servers is in at first: elsewhere it may not reach them."""
        subnet = self._subnet_of(*(self.properties['Instances'] or ())[:1])
        if subnet is not None:
            self.data_set(SUBNET, subnet)
        yield from super().handle_create()

    def _subnet_of(self, server=None):
        ports = self.client('neutron').list('/ports', 'ports', device_id=server) if server else ()
        return next((each['subnet_id'] for port in ports for each in port['fixed_ips']), None)

    def _addresses(self):
        """The addresses of the servers; one that is not there, or not yet, is nowhere."""
        return [self._address(each) for each in self.properties['Instances'] or ()]

    def _address(self, server):
        try:
            found = self.client('nova').show(f'/servers/{server}', 'server')['addresses']
        except (errors.NotFound, errors.BadRequest, errors.NoCloud):
            return NOWHERE
        return next((each['addr'] for network in found.values() for each in network), NOWHERE)

    # ------------------------------------------------------------ what others read

    def get_reference_id(self):
        return self.name

    def has_attribute(self, name):
        return name in self.all_attributes_schema()

    def _own_attribute(self, name, path):
        if name == 'DNSName':
            return self.inside.output('PublicIp')
        return super()._own_attribute(name, path) if name not in self.attributes_schema else ''


def configuration(listeners, check, addresses):
    """The configuration of HAProxy: a way for each listener."""
    return '\n'.join([HEAD, *(_way(number, each, check, addresses) for number, each in enumerate(listeners, 1))])


def _way(number, listener, check, addresses):
    http = listener['Protocol'] == 'HTTP'
    lines = [
        f'listen way{number}',
        f'    bind *:{listener["LoadBalancerPort"]}',
        f'    mode {"http" if http else "tcp"}',
        '    balance roundrobin',
    ]
    if http:
        lines += ['    option http-server-close', '    option forwardfor']
    words = 'check'
    if check:
        protocol, _, rest = check['Target'].partition(':')
        port, slash, path = rest.partition('/')
        if protocol == 'HTTP':
            lines.append(f'    option httpchk GET /{path}' if slash else '    option httpchk')
        lines.append(f'    timeout check {check["Timeout"]}s')
        words = f'check inter {check["Interval"]}s fall {check["UnhealthyThreshold"]} rise {check["HealthyThreshold"]}'
        words += f' port {port}' if port.isdigit() and int(port) != listener['InstancePort'] else ''
    lines += [f'    server server{index} {address}:{listener["InstancePort"]} {words}' for index, address in enumerate(addresses, 1)]
    return '\n'.join(lines) + '\n'
