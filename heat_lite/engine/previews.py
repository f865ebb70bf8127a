"""What a request would do, as the engine answers it: of a create, of an update; and the refusal of updates that would replace something."""

from heat_lite.common import exception, status
from heat_lite.engine import fingerprint, forecast, forecast_format, format


def of_create(stack):
    """A stack that is not stored, resources included."""
    result = format.stack(stack)
    result['resources'] = _resources(stack)
    result['has_changes'] = True
    result['digest'] = fingerprint.of(stack)
    return result


def _resources(stack):
    """The resources of a stack that is not there yet; those of a stack inside one of them as a list in its place."""
    required_by = stack.required_by()
    fates = {fate.resource.name: fate for fate in forecast.of_create(stack).fates}
    result = []
    for name in stack.definitions:
        item = stack.resource_for(name)
        inside = item.preview_inside()
        if inside is not None:
            result.append(_resources(inside))
        else:
            result.append({**format.preview(item, required_by.get(name, ())), **forecast_format.what(fates[name])})
    return result


def of_update(stack, template, values, with_nested=False):
    """``stack`` as it is stored; it is good for nothing else afterwards. ``values``: the columns that the update would change."""
    present, wanted = fingerprint.of(stack), fingerprint.of(stack, template, values)
    answer = forecast_format.update(_foretold(stack, template), with_nested)
    answer['has_changes'] = answer['has_changes'] or wanted != present
    answer.update(digest=wanted, present_digest=present, refused=_refusal(stack))
    return answer


def refuse_replacements(stack, template):
    """Raises ReplacementRefused where an update to ``template`` would, or may, replace resources. Uses ``stack`` up."""
    names = _foretold(stack, template).replaced()
    if names:
        raise exception.ReplacementRefused(stack_name=stack.name, resources=', '.join(names))


def _foretold(stack, template):
    return forecast.of_update(stack, template, forecast.stored_id(stack, template))


def _refusal(stack):
    """Why an update would not even begin now, None when it would."""
    if stack.status == status.IN_PROGRESS:
        return f'Stack {stack.name} already has an action ({stack.action}) in progress.'
    if stack.action in (status.SUSPEND, status.DELETE):
        return f'The stack is {stack.action}_{stack.status}.'
    return None
