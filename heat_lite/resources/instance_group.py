"""InstanceGroup: servers that are made as a launch configuration says, in the words of AWS."""

import re

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.scaling import RenewingGroup, map_of_references
from heat_lite.template import members
from heat_lite.template.members import Pace
from heat_lite.template.schema import integer, list_, map_, string, text

#: the members are instances, or what an environment puts for these: that need not be able to do all that an instance can
MEMBER, INSTANCE = 'OS::Heat::ScaledResource', 'AWS::EC2::Instance'
ADDRESS, LIST = 'PublicIp', 'InstanceList'
_DURATION = re.compile(r'PT(?=\d)(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+)S)?')


def rolling_update():
    """The schema of an update policy."""
    return map_(
        'How members are changed when the launch configuration changes: in batches.',
        {
            'MinInstancesInService': integer('How many members stay as they are meanwhile.', default=0),
            'MaxBatchSize': integer('How many members are changed at once.', default=1),
            'PauseTime': string('How long to wait between two batches, as in PT1M30S.', default='PT0S'),
        },
    )


def tags():
    """The schema of tags."""
    item = map_(None, {'Key': string('The name of the tag.', required=True), 'Value': string('What the tag says.', required=True)})
    return list_('Tags of the members.', item)


INSTANCES = {LIST: text('The addresses of the members, with commas between them.')}


class InstanceGroup(RenewingGroup):
    """A group of servers; ``policy_name`` is the update policy that says how they change."""

    policy_name = 'RollingUpdate'
    defining = ('LaunchConfigurationName',)

    # ------------------------------------------------------------ what the members are

    def definer(self):
        definition = {'type': MEMBER, 'properties': {**self.member_properties(), **self.more_properties(), 'Tags': self._tags()}}
        return lambda name: definition

    def child_environment(self, params):
        return self.definition.template.environment.child(self.name, params, types={MEMBER: INSTANCE})

    def member_properties(self):
        """What the launch configuration says; what it leaves open is as the server has it after which members are made."""
        given = dict(self.configuration().properties.given())
        server = given.pop('InstanceId', None)
        return {**(self.like_server(server) if server else {}), **given}

    def like_server(self, server):
        """What members are that are made after a server, which must be there."""
        try:
            found = self.client('nova').show(f'/servers/{server}', 'server')
        except errors.NotFound:
            raise exception.StackValidationFailed(
                f'The Server ({server}), after which members are to be made, could not be found.'
            ) from None
        said = {
            'ImageId': (found.get('image') or {}).get('id'),
            'InstanceType': found['flavor'].get('original_name') or found['flavor'].get('id'),
            'KeyName': found.get('key_name'),
            'SecurityGroups': sorted({each['name'] for each in found.get('security_groups') or ()}),
        }
        return {name: value for name, value in said.items() if value}

    def more_properties(self):
        """Properties of the members that the group itself gives them."""
        return {}

    def _tags(self):
        return [*(self.properties['Tags'] or ()), *({'Key': key, 'Value': self.get_reference_id()} for key in self.tag_names)]

    tag_names: tuple[str, ...] = ('metering.groupname',)

    def configuration(self):
        """The launch configuration. Raises StackValidationFailed where there is none of that reference."""
        reference = self.properties['LaunchConfigurationName']
        for name in self.stack.definitions:
            item = self.stack.resource_for(name)
            if item.type() == 'AWS::AutoScaling::LaunchConfiguration' and reference in (item.reference_id(), name):
                return item
        text = f'LaunchConfigurationName ({reference}) reference can not be found.'
        raise exception.StackValidationFailed(text, error='ValueError', path=('resources', self.name))

    def pace(self):
        policy = self.update_policy()[self.policy_name] or {'MaxBatchSize': 1, 'MinInstancesInService': 0, 'PauseTime': 'PT0S'}
        return Pace(max(1, policy['MaxBatchSize']), max(0, policy['MinInstancesInService']), seconds(policy['PauseTime']))

    # ------------------------------------------------------------ checks

    def validate(self):
        self.properties.validate()
        self.update_policy().validate()
        self.pace()
        self.member_properties()
        if self.properties['LoadBalancerNames']:
            raise exception.NotSupported(feature=f'LoadBalancerNames of {self.name}: the kind of load balancer that they name')
        super().validate()

    # ------------------------------------------------------------ what others read

    def get_reference_id(self):
        return self.physical_resource_name() or self.name

    def outputs_for(self, path, names):
        return {LIST: members.attributes_map(names, [ADDRESS])} if path[0] == LIST else {}

    def _outputs(self, names):
        return {**super()._outputs(names), **map_of_references(names)}

    def own_attribute(self, first, rest):
        if first == LIST:
            addresses = self.attributes_map((LIST,), [ADDRESS])
            return ','.join(str(each) for each in addresses.values() if each) or None
        return super().own_attribute(first, rest)

    def common_attribute(self, path):
        raise exception.InvalidTemplateAttribute(resource=self.name, key=path[0])


def seconds(duration):
    """Seconds of an ISO 8601 duration of hours, minutes and seconds. Raises StackValidationFailed for another text."""
    match = _DURATION.fullmatch(duration)
    if match is None:
        raise exception.StackValidationFailed(f'"{duration}" is no time to pause; write it as in PT1H30M15S')
    hours, minutes, rest = (int(match[part] or 0) for part in ('hours', 'minutes', 'seconds'))
    return hours * 3600 + minutes * 60 + rest
