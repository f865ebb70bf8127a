"""InstanceGroup: base class of groups of instances that follow a launch configuration."""

import contextlib
import re

from heat_lite.clients import errors
from heat_lite.common import exception, status
from heat_lite.engine.resource.resource import Resource
from heat_lite.resources.base import group_balancer, pool_members
from heat_lite.resources.base.scaling import RollingGroup
from heat_lite.template import members
from heat_lite.template.members import RollingPolicy
from heat_lite.template.schema import integer, list_, map_, string, text
from heat_lite.template.unknown import Unknown, ValueUnknown

#: the type of members, and its default; an environment may map the former to a type with fewer
#: properties
MEMBER, INSTANCE = 'OS::Heat::ScaledResource', 'AWS::EC2::Instance'
ADDRESS, LIST = 'PublicIp', 'InstanceList'
CONFIGURATION = 'LaunchConfigurationName'
_DURATION = re.compile(r'PT(?=\d)(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+)S)?')


#: the schema of an update policy
ROLLING_UPDATE = map_(
    'Policy of rolling updates, which apply a new launch configuration in batches.',
    {
        'MinInstancesInService': integer(
            'Number of members that stay in service during an update.', default=0
        ),
        'MaxBatchSize': integer('Number of members that are updated at once.', default=1),
        'PauseTime': string(
            'Pause between two batches as an ISO 8601 duration, such as PT1M30S.',
            default='PT0S',
        ),
    },
)


def tags():
    """Return the schema of tags."""
    item = map_(
        None,
        {
            'Key': string('Key of the tag.', required=True),
            'Value': string('Value of the tag.', required=True),
        },
    )
    return list_('Tags of the members.', item)


INSTANCES = {LIST: text('Comma-separated IP addresses of the members.')}


class InstanceGroup(RollingGroup):
    """A group of instances; ``policy_name`` is the name of its update policy."""

    policy_name = 'RollingUpdate'
    replacement_properties = (CONFIGURATION,)
    # the outputs of the nested stack are no attributes
    has_attribute = Resource.has_attribute

    # ------------------------------------------------------------ member definitions

    def definition_factory(self):
        definition = {
            'type': MEMBER,
            'properties': {
                **self.member_properties(),
                **self.extra_member_properties(),
                'Tags': self._tags(),
            },
        }
        charge = members.charge_of(definition)

        def define(name):
            charge()
            return definition

        return define

    def child_environment(self, params):
        return self.definition.template.environment.child(
            self.name, params, types={MEMBER: INSTANCE}
        )

    def member_properties(self):
        """Return the properties of the launch configuration.

        Those of the instance that it is based on are the defaults.
        """
        given = dict(self.configuration().properties.given())
        server = given.pop('InstanceId', None)
        return {**(self.server_properties(server) if server else {}), **given}

    def server_properties(self, server):
        """Return the properties of an existing instance.

        Raises StackValidationFailed if it does not exist.
        """
        try:
            found = self.client('nova').show(f'/servers/{server}', 'server')
        except errors.NotFound:
            raise exception.StackValidationFailed(
                f'The Server ({server}) of the launch configuration could not be found.'
            ) from None
        properties = {
            'ImageId': (found.get('image') or {}).get('id'),
            'InstanceType': found['flavor'].get('original_name') or found['flavor'].get('id'),
            'KeyName': found.get('key_name'),
            'SecurityGroups': sorted({each['name'] for each in found.get('security_groups') or ()}),
        }
        return {name: value for name, value in properties.items() if value}

    def extra_member_properties(self):
        """Return the properties of members that depend on the group."""
        return {}

    def _tags(self):
        # not the reference: it changes when the group is created, and members keep their tags
        name = self.physical_resource_name() or self.name
        return [
            *(self.properties['Tags'] or ()),
            *({'Key': key, 'Value': name} for key in self.tag_names),
        ]

    tag_names: tuple[str, ...] = ('metering.groupname',)

    def configuration(self):
        """Return the launch configuration.

        Raises StackValidationFailed if the reference is unknown.
        """
        reference = self.properties[CONFIGURATION]
        if isinstance(reference, Unknown):
            reference = reference.source_among(self.stack.definitions) or reference
        for name in self.stack.definitions:
            item = self.stack.resource_for(name)
            if item.type() == 'AWS::AutoScaling::LaunchConfiguration' and reference in (
                item.reference_id(),
                name,
            ):
                return item
        raise self._invalid(f'{CONFIGURATION} ({reference}) reference can not be found.')

    def rolling_policy(self):
        policy = self.update_policy()[self.policy_name] or {
            'MaxBatchSize': 1,
            'MinInstancesInService': 0,
            'PauseTime': 'PT0S',
        }
        return RollingPolicy(
            max(1, policy['MaxBatchSize']),
            max(0, policy['MinInstancesInService']),
            seconds(policy['PauseTime']),
        )

    # ------------------------------------------------------------ validation

    def validate(self):
        _ = self.properties[CONFIGURATION]  # raises its errors first, as in Heat
        self.properties.validate()
        self.update_policy().validate()
        for check in (self._require_reference, self.rolling_policy, self.member_properties):
            with contextlib.suppress(ValueUnknown):
                check()
        group_balancer.validate(self)
        super().validate()

    def _require_reference(self):
        if self.properties[CONFIGURATION] is None:
            return
        required = self.definition.requires(self.stack.definitions)
        if (name := self.configuration().name) not in required:
            raise self._invalid(
                f'{CONFIGURATION} ({name}) requires a reference to the configuration not just the '
                'name of the resource.'
            )

    def _invalid(self, text):
        path = (self.definition.path[0], self.name)
        return exception.StackValidationFailed(text, error='ValueError', path=path)

    def implied_dependencies(self, others):
        """Return the load balancers: they exist when the first members do."""
        names = self.properties[group_balancer.NAMES] or ()
        return [
            *(each for each in names if each in others),
            *(pool_members.listeners(self, others) if names else ()),
        ]

    # ------------------------------------------------------------ load balancers

    def handle_create(self):
        yield from super().handle_create()
        yield from group_balancer.reload_all(self)

    def handle_delete(self):
        deleted = pool_members.deleted_pools(self.stack)
        yield from pool_members.remove(self, keep=deleted)
        yield from super().handle_delete()
        if self.stack.action != status.DELETE:
            yield from group_balancer.remove_group(self)

    def member_address(self, name):
        """Return the address of a member; None if it has none."""
        return self.member_attribute_map((LIST,), [ADDRESS]).get(name)

    def prepare_batch(self, batch):
        """Generator: take the members of a batch out of the load balancers."""
        yield from group_balancer.reload_all(self, excluded=batch.changed)

    def resize(self, size):
        present = members.removal_order(self.members())
        leaving = set(present) - set(members.newest_names(present, size))
        yield from group_balancer.leave_pools(self, leaving)
        try:
            yield from super().resize(size)
        except exception.ResourceFailure:
            yield from group_balancer.reload_all(self)
            raise
        yield from group_balancer.reload_all(self)

    # ------------------------------------------------------------ references and attributes

    def outputs_for(self, path, names):
        return {LIST: members.attribute_map(names, [ADDRESS])} if path[0] == LIST else {}

    def group_attribute(self, first):
        if first == LIST:
            addresses = self.member_attribute_map((LIST,), [ADDRESS])
            return ','.join(str(each) for each in addresses.values() if each) or None
        return super().group_attribute(first)


def seconds(duration):
    """Return the seconds of an ISO 8601 duration of hours, minutes and seconds.

    Raises StackValidationFailed for other text.
    """
    match = _DURATION.fullmatch(duration)
    if match is None:
        raise exception.StackValidationFailed(
            f'"{duration}" is no valid pause time; use an ISO 8601 duration such as PT1H30M15S'
        )
    hours, minutes, rest = (int(match[part] or 0) for part in ('hours', 'minutes', 'seconds'))
    return hours * 3600 + minutes * 60 + rest
