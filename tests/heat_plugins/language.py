"""A version of the template language with functions of its own, as for Heat."""

from heat.common.i18n import _
from heat.engine import function
from heat.engine.hot import functions as hot_functions
from heat.engine.hot import template as hot_template


class Twice(function.Function):
    """A text, twice."""

    def __init__(self, stack, fn_name, args):
        super(Twice, self).__init__(stack, fn_name, args)
        if isinstance(self.args, list):
            raise TypeError(_('Arguments to "%s" must not be a list') % self.fn_name)

    def validate(self):
        super(Twice, self).validate()
        if self.args == 'never':
            raise ValueError('"%s" refuses this text' % self.fn_name)

    def result(self):
        text = function.resolve(self.args)
        return text + self.stack.parameters['OS::stack_name'] + text


class Louder(Twice):
    """The same in capitals."""

    def result(self):
        return super(Louder, self).result().upper()


class Either(function.Macro):
    """The first of two arguments."""

    def parse_args(self, parse_func):
        first, _second = self.args
        return parse_func(first)


class Template(hot_template.HOTemplate20210416):
    functions = {'twice': Twice, 'louder': Louder, 'either': Either}
    functions.update(hot_template.HOTemplate20210416.functions)
    functions['join'] = hot_functions.JoinMultiple


def template_mapping():
    return {('heat_template_version', '2031-01-01'): Template}
