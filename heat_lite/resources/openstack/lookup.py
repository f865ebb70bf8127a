"""OS::HeatLite::Lookup.

Tests: tests/functional/test_lookups.py.
"""

import re

from heat_lite.clients import errors
from heat_lite.clients.finders import FINDERS, Finder
from heat_lite.clients.service_catalog import SERVICES
from heat_lite.common import exception
from heat_lite.common.value_texts import as_json, quoted
from heat_lite.engine.resource.resource_type import SHOW
from heat_lite.engine.stack import lifecycle
from heat_lite.resources.base import live_state
from heat_lite.resources.base.cloud import ServiceResource
from heat_lite.resources.base.property_rules import conflict, needs, one_of
from heat_lite.resources.base.service_retry import ServiceRetry
from heat_lite.template import attributes, patterns
from heat_lite.template.schema import (
    OURS,
    any_attribute,
    list_,
    list_attribute,
    map_,
    string,
)
from heat_lite.template.suggest import suggest

ONE, NEWEST, FIRST, MANY = 'one', 'newest', 'first', 'many'
FOUND = 'found'
#: behind a field to sort by
DESCENDING = ':desc'
#: objects that a lookup may read, find, and name in an error
MAX_LISTED, MAX_FOUND, MAX_NAMED = 20_000, 1000, 5
REFUSED = ' - the user of the stack may not list them: give the id of the object instead'
#: the fields in which services show the id and the time of the creation of an object
ID_FIELDS = ('id', 'uuid', 'name')
TIME_FIELDS = ('created_at', 'created', 'creation_time')
#: a path below the root of a service: no other host, no way up, also not encoded, no query
PATH = r'(/(?!\.\.?(/|$))[^/?#%\\\s]{1,255}){1,8}'


def _find_now(read, resource):
    """Raise what the lookup would fail with; a rule, as those of ``property_rules``."""
    stack = resource.stack
    if not stack.checks_values or stack.requirements[resource.name]:
        return  # what is required may have to exist first
    path = resource.definition.path
    try:
        Question(resource.properties).ask(stack.clients())
    except errors.Unavailable as error:
        raise exception.ServiceUnavailable(reason=f'{".".join(path)}: {error}') from error
    except (errors.NoSuchObject, errors.ServiceError, errors.NoCloud) as error:
        raise exception.StackValidationFailed(str(error), path=path) from error


class Lookup(ServiceResource):
    """Objects of the cloud that others manage, found by what they are: the newest image of a name,
    a network, a project, the flavors of a size.

    They are looked for when the stack is created and at each update; until the next one the
    attributes show what was found then. Nothing is created, changed or deleted. A preview shows
    what the lookup finds now, unless it must wait for other resources of the stack.
    """

    resource_type = 'OS::HeatLite::Lookup'
    since = OURS
    default_client_name = 'keystone'  # each lookup tells its own service
    repeatable = True
    has_object = False
    is_lookup = True
    always_replace_on_check_failed = False

    properties_schema = {
        'kind': string(
            'Kind of the objects, by the name of its custom constraint.',
            update_allowed=True,
            allowed=sorted(FINDERS),
        ),
        'service': string(
            'Service with the collection at the path.', update_allowed=True, allowed=list(SERVICES)
        ),
        'path': string(
            'Path of a collection of the service, or of one object, below the version of the API; '
            'for what no kind names.',
            update_allowed=True,
            pattern=PATH,
        ),
        'key': string(
            'Key of the list in the response to the request for the path. The default is the last '
            'part of the path.',
            update_allowed=True,
        ),
        'query': map_(
            'Parameters of the request, by which the service itself selects objects, such as '
            'all_tenants.',
            update_allowed=True,
        ),
        'filters': map_(
            'Values that fields of the objects must have. Of a list of values the field has one, '
            'and a field that is a list or a map contains the value.',
            update_allowed=True,
        ),
        'patterns': map_(
            'Regular expressions that fields of the objects must match as a whole.',
            update_allowed=True,
        ),
        'sort': list_(
            'Fields by which the objects are sorted. A field with ":desc" behind it sorts in '
            'descending order.',
            string(),
            update_allowed=True,
        ),
        'take': string(
            'Which of the objects are found. With "one", several objects are an error; "newest" '
            'is the one created last, "first" the first one as sorted, and "many" are all of them, '
            'maybe none.',
            default=ONE,
            update_allowed=True,
            allowed=[ONE, NEWEST, FIRST, MANY],
        ),
    }
    property_rules = (
        one_of('kind', 'path'),
        conflict('kind', 'path'),
        needs('path', 'service'),
        needs('service', 'path'),
        needs('key', 'path'),
        _find_now,
    )
    attributes_schema = {
        'id': 'Id of the object, also given by get_resource; null with "many".',
        'name': 'Name of the object; null with "many".',
        'ids': list_attribute('Ids of all objects.'),
        'names': list_attribute('Names of all objects.'),
        FOUND: any_attribute(
            'The object with all fields that its service lists, or the list of objects with '
            '"many". Each field of one object is an attribute, too.'
        ),
    }

    # ------------------------------------------------------------ actions

    def handle_create(self):
        answer = yield from self._look()
        self.record.clear_attributes()
        self.record.set_attributes(answer)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        return self.handle_create()

    def handle_adopt(self, resource_data):
        return self.handle_create()

    def handle_check(self):
        answer = yield from self._look()
        return lifecycle.Drift(self._change(answer)) if self._differs(answer) else None

    def needs_update(self, definition):
        """Return whether it finds something else now, as far as the template reads it. An error
        is left to the update.
        """
        try:
            return self._differs(self._ask(definition))
        except exception.HeatException:
            return True

    def get_live_state(self, resource_properties):
        answer = self._ask(self.definition)
        return {FOUND: self._change(answer)} if self._differs(answer) else self.stored_properties()

    def needs_replace_failed(self):
        return False

    def is_foreseen(self):
        return self._foreseen() is not None

    def foreseen_text(self):
        answer = self._foreseen()
        return answer and self._change(answer)

    def _ask(self, definition):
        return Question(self.properties_of(definition)).ask(self.stack.clients())

    def _look(self):
        """Generator: ask the service and return the answer."""
        question = Question(self.properties)
        retry = ServiceRetry(self, service=question.finder.service)
        return (yield from retry.until_answered(question.ask, self.stack.clients()))

    def _differs(self, answer):
        before = self._last_answer()
        return not before or any(
            _value(before, path) != _value(answer, path) for path in {('ids',), *self._reads()}
        )

    def _reads(self):
        """Yield the paths of the attributes that the template reads."""
        for each in [*self.stack.definitions.values(), *self.stack.bound.outputs.values()]:
            yield from (path or (FOUND,) for path in each.attribute_reads().get(self.name, ()))

    def _change(self, answer):
        """Return what it finds now, and what it has found before, for people."""
        before, now = self._last_answer(), _names(answer)
        if not before:
            return f'finds {now}'
        was = _names(before)
        return f'finds {now} with other fields' if was == now else f'finds {now}, not {was}'

    # ------------------------------------------------------------ what it finds

    def clear_stored_attributes(self):
        """Keep the answer: only another lookup replaces it."""
        self._attributes = None

    def store_attributes(self):
        """Do nothing: the answer is stored."""

    def answers_slowly(self):
        return False

    def has_attribute(self, name):
        """Return True: each field of an object is an attribute."""
        return isinstance(name, str)

    def attribute(self, *path):
        answer = self._present_answer()
        if not answer:
            return None
        return _value(answer, path) if path else dict(answer)

    def resolve_attribute(self, name):
        return self.attribute(name)

    def show(self):
        return self.attribute(FOUND)

    def get_reference_id(self):
        return (self._present_answer() or {}).get('id') or super().get_reference_id()

    def _last_answer(self):
        return self.stack.records.attributes_of(self.record)

    def _present_answer(self):
        """Return what it has found; in a preview what it will find, None if that is unknown."""
        foresight = self.stack.foresight
        will_ask = foresight is not None and foresight.awaits(self)
        return self._foreseen() if will_ask else self._last_answer()

    def _foreseen(self):
        """Return what it will find; None if that is not known before its turn."""
        foresight, stack = self.stack.foresight, self.stack
        required = map(stack.resource_for, stack.requirements[self.name])
        if any(map(foresight.hides, required)):
            return None
        if self.name not in foresight.found:
            try:
                foresight.found[self.name] = self._ask(stack.definitions[self.name])
            except Exception:  # of the service, or there is no cloud
                foresight.found[self.name] = None
        return foresight.found[self.name]


class Question:
    """What a lookup asks for, by its properties."""

    def __init__(self, given):
        self._given = {name: given[name] for name in Lookup.properties_schema}
        self.finder = self._finder()
        self._patterns = {
            name: self._pattern(text) for name, text in (self._given['patterns'] or {}).items()
        }

    def _pattern(self, text):
        try:
            return patterns.compile_pattern(str(text))
        except re.error as error:
            raise self._error(f'"{text}" is no regular expression: {error}') from error

    def _finder(self):
        kind, path, key = map(self._given.get, ('kind', 'path', 'key'))
        if kind is not None:
            return FINDERS[kind]
        label = f'{self._given["service"]} {path}'
        key = key or live_state.list_key(path)
        return Finder(self._given['service'], path, None, key, label, filters_by_name=False)

    def ask(self, clients):
        """Return what the service lists: the attributes of the lookup by name. Raises NoSuchObject
        for none, and for several where one is asked for, ServiceError and NoCloud.
        """
        try:
            clients.require(self.finder.service, self.finder.extension)
            return self._ask(clients.client(self.finder.service))
        except (errors.ServiceError, errors.NoCloud) as error:
            advice = REFUSED if isinstance(error, errors.Forbidden) else ''
            error.message = self._text(f'{error}{advice}')
            raise

    def _ask(self, client):
        listed, fitting = 0, []
        fields = set()
        for each in self._listed(client):
            listed += 1
            fields.update(each)
            if self._fits(each):
                fitting.append(each)
        self._require_fields(fields, listed)
        return self._answer(self._taken(self._sorted(fitting), listed))

    def _listed(self, client):
        """Yield the objects of the collection."""
        finder = self.finder
        name = (self._given['filters'] or {}).get(finder.name_field)
        query = {**finder.by_name(name), **(self._given['query'] or {})}
        path = finder.details or finder.path
        try:
            for count, each in enumerate(finder.objects(client, path, **query)):
                if count == MAX_LISTED:
                    text = f'there are more than {MAX_LISTED} objects: let "query" select some'
                    raise self._error(text)
                if not isinstance(each, dict):
                    raise self._error(f'its list has {as_json(each)}, which is no object')
                yield each
        except (KeyError, TypeError) as error:
            advice = f'GET {path} gives no "{finder.list_key}": set "key" to the key of its list'
            raise self._error(advice) from error

    def _fits(self, item):
        filters = self._given['filters'] or {}
        return all(_has(item.get(name), value) for name, value in filters.items()) and all(
            isinstance(item.get(name), str) and pattern.fullmatch(item[name])
            for name, pattern in self._patterns.items()
        )

    def _require_fields(self, fields, listed):
        """Raise NoSuchObject for a field that no object of the list has."""
        named = [*(self._given['filters'] or {}), *self._patterns]
        named += [each.removesuffix(DESCENDING) for each in self._given['sort'] or ()]
        for name in named if listed else ():
            if name not in fields:
                known = ', '.join(sorted(fields))
                hint = suggest(name, fields) or f' They have {known}.'
                raise self._error(f'none of the {listed} objects has a field "{name}".{hint}')

    def _sorted(self, items):
        """Return the objects in the order that is asked for."""
        order = self._given['sort'] or ()
        if self._given['take'] == NEWEST and items:
            field = next((name for name in TIME_FIELDS if name in items[0]), None)
            if field is None:
                raise self._error(
                    'its service does not show when objects were created: use "sort" and take: '
                    'first'
                )
            order = [f'{field}{DESCENDING}']
        for text in reversed(order):
            name = text.removesuffix(DESCENDING)
            items = sorted(items, key=lambda each: _rank(each.get(name)), reverse=name != text)
        return items

    def _taken(self, items, listed):
        take = self._given['take']
        if take == MANY:
            if len(items) > MAX_FOUND:
                raise self._error(f'{len(items)} objects fit, more than {MAX_FOUND}')
            return items
        if not items:
            seen = f'none of the {listed} objects that its service lists' if listed else 'no object'
            raise self._error(f'{seen} fits. Change the filters, or create the object before')
        if take == ONE and len(items) > 1:
            shown = _names(self._answer(items))
            raise self._error(
                f'{len(items)} objects fit: {shown}. Add a filter that only one fits, or set "take"'
                ' to newest, first or many'
            )
        return items[0]

    def _answer(self, found):
        """Return the attributes of a lookup that finds an object, or a list of them."""
        finder = self.finder
        id_fields = (finder.id_field or 'name',) if self._given['kind'] else ID_FIELDS
        items = found if isinstance(found, list) else [found]
        ids = [_first(each, id_fields) for each in items]
        names = [each.get(finder.name_field or id_fields[0]) for each in items]
        own = (None, None) if items is found else (ids[0], names[0])
        return {'id': own[0], 'name': own[1], 'ids': ids, 'names': names, FOUND: found}

    def _error(self, text):
        return errors.NoSuchObject(reason=self._text(text))

    def _text(self, text):
        names = ('query', 'filters', 'patterns')
        asked = ''.join(
            f', {name} {as_json(self._given[name])}' for name in names if self._given[name]
        )
        kind = self._given['kind'] or self.finder.label
        end = '' if text[-1] in '.?' else '.'
        return f'The lookup of {kind}{asked}: {text}{end}'


def _has(value, wanted):
    """Return whether the value of a field is, or contains, the wanted one."""
    if isinstance(value, list | tuple):
        items = wanted if isinstance(wanted, list | tuple) else [wanted]
        return live_state.contains_all(None, items, value)
    if isinstance(wanted, list | tuple):
        return any(_has(value, each) for each in wanted)
    if isinstance(wanted, bool) or isinstance(value, bool):
        return str(wanted).lower() == str(value).lower()
    return live_state.is_equal(None, wanted, value)


def _rank(value):
    """Return the key to sort a value by: nulls, numbers, texts."""
    if isinstance(value, int | float):
        return (1, value, '')
    return (0, 0, '') if value is None else (2, 0, str(value))


def _first(item, fields):
    """Return the first of the fields that an object has."""
    return next((str(item[name]) for name in fields if item.get(name) is not None), None)


def _value(answer, path):
    """Return the value at the path of an attribute; a field of one object is an attribute."""
    name, found = path[0], answer[FOUND]
    if name in answer or name == SHOW:
        return attributes.select(found if name == SHOW else answer[name], path[1:])
    if not isinstance(found, dict):
        raise exception.Error(f'several objects have no attribute "{name}": read "{FOUND}"')
    if name not in found:
        hint = suggest(name, found) or f' It has {", ".join(sorted(found))}.'
        raise exception.Error(f'{_names(answer)} has no field "{name}".{hint}')
    return attributes.select(found, path)


def _names(answer):
    """Return the names and ids of the first objects, for people."""
    shown = [
        ('an object' if one is None else str(one))
        if name in (None, '', one)
        else f'{quoted(name)} ({one})'
        for one, name in zip(answer['ids'], answer['names'], strict=True)
    ]
    more = f' and {len(shown) - MAX_NAMED} more' if len(shown) > MAX_NAMED else ''
    return f'{", ".join(shown[:MAX_NAMED])}{more}' or 'nothing'
