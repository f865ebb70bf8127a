"""Which environments of a run apply to which templates.

Those that the caller names apply to all templates. Those of a folder apply to templates of the same
folder that declare their parameters and accept the values, since Heat refuses others. A template
that none of them fits, such as one that another template uses, gets all of its folder.
"""

import posixpath
from collections.abc import Iterable, Sequence

from heat_lite.template.lint.document import EnvironmentDocument, TemplateDocument
from heat_lite.template.lint.rules.environments import fits


def assign(
    environments: Iterable[EnvironmentDocument], templates: Sequence[TemplateDocument]
) -> dict[str, list[EnvironmentDocument]]:
    """Give environments their templates. Return the environments of each template by its name.

    Later ones override earlier ones.
    """
    environments = sorted(environments, key=lambda each: not each.is_named)
    named = [each for each in environments if each.is_named]
    chosen = {template.name: [*named] for template in templates}
    for environment in environments:
        beside = [each for each in templates if _applies(environment, each)]
        fitting = beside if environment.is_named else [x for x in beside if fits(environment, x)]
        environment.templates = fitting or beside
        for template in () if environment.is_named else fitting:
            chosen[template.name].append(environment)
    for template in templates:
        if chosen[template.name] == named:
            chosen[template.name] = [each for each in environments if _applies(each, template)]
    for each in named[1:]:
        each.is_merged = True
    return chosen


def _applies(environment: EnvironmentDocument, template: TemplateDocument) -> bool:
    is_beside = posixpath.dirname(environment.name) == posixpath.dirname(template.name)
    return environment.is_named or is_beside
