"""Results of the engine as elements of CloudFormation, with the names and the order of Heat."""

import json
from typing import Any

from heat_lite.api.cfn import arguments
from heat_lite.common.identifier import HeatIdentifier

Wire = dict[str, Any]
NO_DESCRIPTION = 'No description given'


def arn_of(identity: Wire) -> str:
    return HeatIdentifier.from_dict(identity).arn()


def _state(row: Wire, noun: str) -> str:
    """Return e.g. CREATE_COMPLETE."""
    return f'{row[f"{noun}_action"]}_{row[f"{noun}_status"]}'


def stack(row: Wire) -> Wire:
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
        'StackId': arn_of(row['stack_identity']),
        'StackName': row['stack_name'],
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


def own_tags(row: Wire) -> list[str]:
    """Return the tags of a stack without that of the last request."""
    return [tag for tag in row['tags'] or () if not tag.startswith(arguments.TOKEN_TAG)]


def _tag(tag: str) -> Wire:
    key, _, value = tag.partition('=')
    return {'Key': key, 'Value': value}


def _output(output: Wire) -> Wire:
    return {
        'Description': output['description'] or NO_DESCRIPTION,
        'OutputKey': output['output_key'],
        'OutputValue': output['output_value'],
    }


def stack_summary(row: Wire) -> Wire:
    """Return a row of ``list_stacks``."""
    return {
        'CreationTime': row['creation_time'],
        'LastUpdatedTime': row['updated_time'],
        'StackId': arn_of(row['stack_identity']),
        'StackName': row['stack_name'],
        'StackStatusReason': row['stack_status_reason'],
        'StackStatus': _state(row, 'stack'),
        'DeletionTime': row['deletion_time'],
    }


def event(row: Wire) -> Wire:
    """Return an event; its properties are shown by the other API, for one event."""
    properties = row['resource_properties']
    return {
        'EventId': row['event_identity']['path'].rpartition('/')[2],
        'LogicalResourceId': row['resource_name'],
        'PhysicalResourceId': row['physical_resource_id'],
        'ResourceProperties': json.dumps(properties) if properties else None,
        'ResourceStatusReason': row['resource_status_reason'],
        'ResourceType': row['resource_type'],
        'StackId': arn_of(row['stack_identity']),
        'StackName': row['stack_name'],
        'Timestamp': row['event_time'],
        'ResourceStatus': _state(row, 'resource'),
    }


def resource_summary(row: Wire) -> Wire:
    return {
        'LastUpdatedTimestamp': row['updated_time'],
        'LogicalResourceId': row['resource_name'],
        'PhysicalResourceId': row['physical_resource_id'],
        'ResourceStatusReason': row['resource_status_reason'],
        'ResourceType': row['resource_type'],
        'ResourceStatus': _state(row, 'resource'),
    }


def resource(row: Wire) -> Wire:
    """Return a resource without its metadata."""
    return {
        'Description': row['description'],
        'LogicalResourceId': row['resource_name'],
        'PhysicalResourceId': row['physical_resource_id'],
        'ResourceStatusReason': row['resource_status_reason'],
        'ResourceType': row['resource_type'],
        'StackId': arn_of(row['stack_identity']),
        'StackName': row['stack_name'],
        'Timestamp': row['updated_time'],
        'ResourceStatus': _state(row, 'resource'),
    }


def resource_detail(row: Wire) -> Wire:
    """Return a resource with its metadata: a map in JSON, a JSON text in XML."""
    return {
        'Description': row['description'],
        'LastUpdatedTimestamp': row['updated_time'],
        'LogicalResourceId': row['resource_name'],
        'Metadata': row['metadata'],
        'PhysicalResourceId': row['physical_resource_id'],
        'ResourceStatusReason': row['resource_status_reason'],
        'ResourceType': row['resource_type'],
        'StackId': arn_of(row['stack_identity']),
        'StackName': row['stack_name'],
        'ResourceStatus': _state(row, 'resource'),
    }


def template_parameter(name: str, schema: Wire) -> Wire:
    return {
        'ParameterKey': name,
        'DefaultValue': schema.get('Default', ''),
        'Description': schema.get('Description', ''),
        'NoEcho': schema.get('NoEcho', 'false'),
    }
