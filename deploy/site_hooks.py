"""Pages of the site that are made from the code: resource types, options, the gallery."""

import dataclasses
import posixpath
import re
from importlib import metadata
from pathlib import Path

import yaml
from mkdocs.structure.files import File

from heat_lite.authoring import offline_types, type_examples, type_page
from heat_lite.template import support
from heat_lite.template.editing import yaml_writer

ROOT = Path(__file__).resolve().parents[1]
GALLERY = ROOT / 'docs' / 'guide' / 'gallery'
GENERATOR = ROOT / 'etc' / 'heat_lite' / 'config-generator.conf'
NAMESPACE = re.compile(r'^namespace = (.+)$', re.MULTILINE)
#: how much more a result of the search counts than others, by the begin of the page's path
BOOSTS = {
    ('guide/types/', 'decisions/', 'architecture', 'glossary', 'conformance', 'benchmarks'): 0.2,
    ('operations', 'releasing', 'security', 'takeover'): 0.5,
    ('guide/',): 2,
}
LINK = re.compile(r'\[([^\]]+)\]\(([^)#\s]+)(#[^)\s]*)?\)')


def on_files(files, config):
    """Add the pages to those of ``docs``."""
    pages = {**type_pages(), 'guide/gallery.md': gallery(), 'operations/options.md': options()}
    for name, text in pages.items():
        # The source has a short page that tells how to see this one.
        known = files.get_file_from_path(name)
        if known is not None:
            files.remove(known)
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    """Turn links to templates into links to the gallery, to other files of the source into text.

    The search shows what a beginner reads first.
    """
    path_of_page = page.file.src_uri
    for begins, boost in BOOSTS.items():
        if path_of_page.startswith(begins):
            page.meta.setdefault('search', {'boost': boost})

    def target(found):
        text, path, _ = found.groups()
        folder = posixpath.dirname(page.file.src_uri)
        place = posixpath.normpath(posixpath.join(folder, path))
        file = files.get_file_from_path(place)
        if ':' in path or (file is not None and not file.inclusion.is_excluded()):
            return found.group()
        if place.startswith('guide/gallery/'):
            page_of_all = posixpath.relpath('guide/gallery.md', folder)
            return f'[{text}]({page_of_all}#{posixpath.basename(path).replace(".", "")})'
        return text

    return LINK.sub(target, markdown)


def type_pages():
    """Return ``{name of the page: text}`` of all types that are not hidden, and their list."""
    types = offline_types.OfflineTypes()
    pages, rows = {}, []
    for name in types.names():
        info = types.get(name)
        if info.support.status == support.HIDDEN:
            continue
        file = name.replace('::', '-')
        pages[f'guide/types/{file}.md'] = type_text(types, info)
        text = _with_support(type_page.summary(info), info)
        rows.append(f'| [{name}]({file}.md) | {_cell(text)} |')
    head = '# Resource types\n\n| type | description |\n|---|---|\n'
    pages['guide/types/index.md'] = head + '\n'.join(rows) + '\n'
    return pages


def type_text(types, info):
    """Return the page of a resource type."""
    attributes = types.registry.get(info.name).all_attributes_schema()
    example = type_examples.template_of(dataclasses.replace(info, attributes=attributes))
    parts = ['[All resource types](index.md)', f'# {info.name}', type_page.summary(info)]
    if info.support.note:
        parts.append(f'**{info.support.note}**')
    parts += ['## Example', f'```yaml\n{yaml_writer.to_yaml(example)}```', '## Properties']
    if info.properties is None:
        parts.append('The type takes any property.')
    else:
        parts.append(_table(type_page.table_of(info.properties)))
    if info.update_policy:
        parts += ['## Update policy', _table(type_page.table_of(info.update_policy))]
    shown = [
        (key, '', _with_support(each.description, each))
        for key, each in attributes.items()
        if not each.hidden
    ]
    return '\n\n'.join([*parts, '## Attributes', _table(shown)]) + '\n'


def _with_support(text, described):
    return ' '.join(filter(None, (text, described.support.note)))


def _table(rows):
    lines = [f'| `{name}` | {_cell(facts)} | {_cell(text)} |' for name, facts, text in rows]
    return (
        '\n'.join(['| name | facts | description |', '|---|---|---|', *lines]) if lines else 'None.'
    )


def _cell(text):
    text = ' '.join(str(text or '').split())
    return (
        text.replace('&', '&amp;').replace('<', '&lt;').replace('|', '&#124;').replace('[', '&#91;')
    )


def gallery():
    """Return the page of the gallery: each template with its description."""
    parts = [
        '# The gallery of templates',
        'Each is checked by `heat-lite lint` and validated by the service in a test. They are in '
        '`docs/guide/gallery`.',
    ]
    for path in sorted(GALLERY.rglob('*.yaml')):
        text = path.read_text(encoding='utf-8')
        data = yaml.safe_load(text)
        description = data.get('description') or data.get('Description') or ''
        parts += [f'## {path.name}', description, f'```yaml title="{path.name}"\n{text}```']
    return '\n\n'.join(parts) + '\n'


def options():
    """Return the page of all options, by group: those of this service and of its libraries."""
    parts = ['# Options by group']
    groups = {}
    (set_defaults,) = metadata.entry_points(group='oslo.config.opts.defaults', name='heat_lite')
    set_defaults.load()()
    for namespace in NAMESPACE.findall(GENERATOR.read_text()):
        (entry,) = metadata.entry_points(group='oslo.config.opts', name=namespace)
        for group, found in entry.load()():
            groups.setdefault(str(group or 'DEFAULT'), []).extend(found)
    for group in sorted(groups, key=lambda name: (name != 'DEFAULT', name)):
        parts.append(f'## [{group}]'.replace('[', '&#91;'))
        rows = []
        for option in sorted(groups[group], key=lambda each: each.dest):
            default = '' if option.secret else option.default
            facts = f'default {default}' if default not in (None, '') else 'no default'
            if option.mutable:
                facts += ', read again at SIGHUP'
            rows.append((option.dest, facts, option.help))
        parts.append(_table(rows))
    return '\n\n'.join(parts) + '\n'
