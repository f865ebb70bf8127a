"""Results of the engine as elements of CloudFormation, with the names and the order of Heat."""

from heat_lite.api.cfn import arguments
from heat_lite.common.identifier import HeatIdentifier
from heat_lite.common.value_texts import to_json
from heat_lite.common.value_types import Value, Values

NO_DESCRIPTION = 'No description given'
#: elements of each view of an event or a resource, and the keys of their values
OF_RESOURCE = {
    'LogicalResourceId': 'resource_name',
    'PhysicalResourceId': 'physical_resource_id',
    'ResourceStatusReason': 'resource_status_reason',
    'ResourceType': 'resource_type',
}


def arn_of(identity: Values) -> str:
    return HeatIdentifier.from_dict(identity).arn()


def _state(row: Values, noun: str) -> str:
    """Return e.g. CREATE_COMPLETE."""
    return f'{row[f"{noun}_action"]}_{row[f"{noun}_status"]}'


def stack(row: Values) -> Values:
    """Return a stack of ``show_stack``."""
    tenant = row['stack_identity']['tenant']
    found = {
        'Capabilities': row['capabilities'],
        'CreationTime': row['creation_time'],
        'Description': row['description'],
        'DisableRollback': row['disable_rollback'],
        'NotificationARNs': [
            arguments.topic_arn(tenant, queue) for queue in row.get('event_queues') or ()
        ],
        'Parameters': [
            {'ParameterKey': name, 'ParameterValue': value}
            for name, value in row['parameters'].items()
        ],
        **_of_stack(row),
        'StackStatusReason': row['stack_status_reason'],
        'TimeoutInMinutes': row['timeout_mins'],
    }
    if row['updated_time']:
        found['LastUpdatedTime'] = row['updated_time']
    found['StackStatus'] = _state(row, 'stack')
    if row['deletion_time']:
        found['DeletionTime'] = row['deletion_time']
    if row.get('outputs') is not None:
        found['Outputs'] = [_output(output) for output in row['outputs']]
    tags = [_tag(tag) for tag in own_tags(row)]
    if tags:
        found['Tags'] = tags
    return found


def _of_stack(row: Values) -> Values:
    return {'StackId': arn_of(row['stack_identity']), 'StackName': row['stack_name']}


def own_tags(row: Values) -> list[str]:
    """Return the tags of a stack without that of the last request."""
    return [tag for tag in row['tags'] or () if not tag.startswith(arguments.TOKEN_TAG)]


def _tag(tag: str) -> Values:
    key, _, value = tag.partition('=')
    return {'Key': key, 'Value': value}


def _output(output: Values) -> Values:
    return {
        'Description': output['description'] or NO_DESCRIPTION,
        'OutputKey': output['output_key'],
        'OutputValue': output['output_value'],
    }


def stack_summary(row: Values) -> Values:
    """Return a row of ``list_stacks``."""
    return {
        'CreationTime': row['creation_time'],
        'LastUpdatedTime': row['updated_time'],
        **_of_stack(row),
        'StackStatusReason': row['stack_status_reason'],
        'StackStatus': _state(row, 'stack'),
        'DeletionTime': row['deletion_time'],
    }


def _resource(row: Values, **more: Value) -> Values:
    """Return the elements of a resource and ``more`` by their names, the status at the end."""
    found = {element: row[key] for element, key in OF_RESOURCE.items()} | more
    return {**dict(sorted(found.items())), 'ResourceStatus': _state(row, 'resource')}


def event(row: Values) -> Values:
    """Return an event; its properties are shown by the other API, for one event."""
    properties = row['resource_properties']
    return _resource(
        row,
        EventId=row['event_identity']['path'].rpartition('/')[2],
        ResourceProperties=to_json(properties) if properties else None,
        Timestamp=row['event_time'],
        **_of_stack(row),
    )


def resource_summary(row: Values) -> Values:
    return _resource(row, LastUpdatedTimestamp=row['updated_time'])


def resource(row: Values) -> Values:
    """Return a resource without its metadata."""
    return _resource(
        row, Description=row['description'], Timestamp=row['updated_time'], **_of_stack(row)
    )


def resource_detail(row: Values) -> Values:
    """Return a resource with its metadata: a map in JSON, a JSON text in XML."""
    return _resource(
        row,
        Description=row['description'],
        LastUpdatedTimestamp=row['updated_time'],
        Metadata=row['metadata'],
        **_of_stack(row),
    )


def template_parameter(name: str, schema: Values) -> Values:
    return {
        'ParameterKey': name,
        'DefaultValue': schema.get('Default', ''),
        'Description': schema.get('Description', ''),
        'NoEcho': schema.get('NoEcho', 'false'),
    }
