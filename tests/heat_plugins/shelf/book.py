"""A resource type as Heat's guide for plug-in authors describes one: schemas and handlers."""

from oslo_log import log as logging

from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine.plugins.shelf import common
from heat.engine import properties
from heat.engine import resource
from heat.engine import scheduler
from heat.engine import support
from heat.engine import translation

LOG = logging.getLogger(__name__)


class Book(resource.Resource):
    """A book in a service of books."""

    support_status = support.SupportStatus(version='2015.1')

    PROPERTIES = (TITLE, PAGES, HEADING, COLOURS) = ('title', 'pages', 'heading', 'colours')
    ATTRIBUTES = (STATE, LENGTH) = ('state', 'length')

    properties_schema = {
        TITLE: properties.Schema(
            properties.Schema.STRING,
            _('The title of the book.'),
            update_allowed=True,
            constraints=[constraints.Length(min=1, max=40)],
        ),
        HEADING: properties.Schema(
            properties.Schema.STRING,
            _('The older name of the title.'),
            support_status=support.SupportStatus(status=support.HIDDEN),
        ),
        PAGES: properties.Schema(
            properties.Schema.INTEGER,
            _('The number of pages.'),
            default=100,
            update_allowed=True,
            constraints=[constraints.Range(min=1)],
        ),
        COLOURS: properties.Schema(properties.Schema.LIST, _('Its colours.'), default=tuple()),
    }

    attributes_schema = {
        STATE: attributes.Schema(
            _('The state of the book.'),
            type=attributes.Schema.STRING,
            cache_mode=attributes.Schema.CACHE_NONE,
        ),
        LENGTH: attributes.Schema(_('The pages.'), type=attributes.Schema.INTEGER),
    }

    def __init__(self, name, json_snippet, stack):
        super(Book, self).__init__(name, json_snippet, stack)
        self.asked = 0
        self.title_at_start = self.properties[self.TITLE]

    def translation_rules(self, props):
        return [
            translation.TranslationRule(
                props,
                translation.TranslationRule.REPLACE,
                [self.TITLE],
                value_name=self.HEADING,
            )
        ]

    def validate(self):
        super(Book, self).validate()
        if self.properties[self.TITLE] == 'untitled':
            return 'A book needs a better title'

    def handle_create(self):
        body = dict((key, self.properties[key]) for key in (self.TITLE, self.PAGES))
        body['name'] = self.physical_resource_name()
        made = common.call('POST', '/books', body)
        self.resource_id_set(made['id'])
        self.data_set('key', 'opensesame', redact=True)
        LOG.info('Created %s', self.physical_resource_name_or_FnGetRefId())
        return made['id']

    def check_create_complete(self, book_id):
        found = common.call('GET', '/books/%s' % book_id)
        if found['state'] == 'broken':
            raise exception.ResourceInError(resource_status=found['state'])
        if found['state'] != 'printed':
            raise resource.PollDelay(0.01)
        return True

    def needs_replace_with_prop_diff(self, changed_properties_set, after_props, before_props):
        return after_props[self.PAGES] < before_props[self.PAGES]

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        if not tmpl_diff.properties_changed():
            return
        self.properties = json_snippet.properties(self.properties_schema, self.context)
        body = {key: self.properties[key] for key in prop_diff}
        task = scheduler.TaskRunner(common.call, 'PUT', '/books/%s' % self.resource_id, body)
        task.start()
        return task

    def check_update_complete(self, task):
        return task is None or task.done() or task.step()

    def handle_delete(self):
        if self.resource_id is None:
            return
        try:
            common.call('DELETE', '/books/%s' % self.resource_id)
        except Exception as ex:
            self.client_plugin('openstack').ignore_not_found(ex)

    def _show_resource(self):
        return common.call('GET', '/books/%s' % self.resource_id)

    def _resolve_attribute(self, name):
        shown = self._show_resource()
        return {self.STATE: shown['state'], self.LENGTH: shown['pages']}[name]


class Shelf(resource.Resource):
    """The books of the same stack: found by their ids, without references in the template."""

    PROPERTIES = (BOOK,) = ('book',)
    properties_schema = {
        BOOK: properties.Schema(properties.Schema.STRING, _('The id of a book.')),
    }
    attributes_schema = {'title': attributes.Schema(_('The title of the book.'))}

    def add_explicit_dependencies(self, deps):
        for other in self.stack.values():
            if other.has_interface('Test::Shelf::Book'):
                deps += (self, other)

    def handle_create(self):
        books = [each for each in self.stack.resources.values() if isinstance(each, Book)]
        assert all(each.resource_id for each in books), 'created before its books'
        self.resource_id_set(self.physical_resource_name())

    def _resolve_attribute(self, name):
        found = self.stack.resource_by_refid(self.properties[self.BOOK])
        return found.properties[Book.TITLE]

    def FnGetRefId(self):
        return 'shelf-%s' % self.name


def resource_mapping():
    return {'Test::Shelf::Book': Book, 'Test::Shelf::Shelf': Shelf}
