"""Events: the history of a stack, one line a change of state. Those of the stack itself are told to the message bus too."""

from heat_lite.engine import notification


def of_stack(stack, journal):
    """The stack's own state as an event; it bears the stack's name and id as if it were a resource."""
    journal.event(
        None,
        resource_action=stack.action,
        resource_status=stack.status,
        resource_name=stack.name,
        physical_resource_id=stack.id,
        resource_status_reason=stack.status_reason,
        resource_type='OS::Heat::Stack',
    )
    notification.of_stack(stack, journal)


def of_resource(resource):
    """The resource's state as an event. Before there is a physical id its physical name stands in, as in Heat."""
    record = resource.record
    record.journal.event(
        record,
        resource_action=record.action,
        resource_status=record.status,
        resource_name=record.name,
        physical_resource_id=record.nova_instance or resource.physical_resource_name_or_reference(),
        resource_status_reason=record.status_reason,
        resource_type=resource.type(),
    )
