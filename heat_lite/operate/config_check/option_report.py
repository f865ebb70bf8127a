"""``heat-lite-manage config_check``: what options of configuration files mean to this service.

The files may be those of Heat. Each option that is set is looked up among those of this project
and of the libraries that its programs load.
"""

import collections
import dataclasses
import importlib.metadata
import logging
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from keystoneauth1 import exceptions as ks_exceptions, loading
from oslo_config import cfg
from oslo_config.cfg import Opt

from heat_lite import conf as options
from heat_lite.common.value_types import Value
from heat_lite.operate.config_check import option_facts
from heat_lite.server import supervisor
from heat_lite.startup import settings as program_settings
from heat_lite.template.suggest import suggest

LOG = logging.getLogger(__name__)
UNKNOWN, INVALID, DEPRECATED, NO_EFFECT, DIFFERS, MISSING = (
    'unknown',
    'invalid',
    'deprecated',
    'no effect',
    'differs',
    'missing',
)
ERRORS = (UNKNOWN, INVALID)
#: exit status for errors, and for files with other findings only
HAS_ERRORS, HAS_FINDINGS = 1, 3
SECTION = re.compile(r'\[(.+)\]\s*$')
SETTING = re.compile(r'([^\s=:#;\[][^=:]*?)\s*[=:]\s*(.*)$')
#: words of a help text before the reason why an option has no effect
MARK = 'no effect here'
NO_LOGIN = (
    'without a login Keystone validates no EC2 signature: signed URLs, e.g. of scaling policies, '
    'are refused with 403. Set auth_type = password and the login of the service user.'
)
NOT_ASKED = 'the cloud is asked if [ec2authtoken] has multi_cloud = true and its name in clouds.'


@dataclasses.dataclass(frozen=True)
class Setting:
    """An option as a file sets it. ``line`` counts from 1."""

    file: str
    line: int
    group: str
    name: str
    value: str


@dataclasses.dataclass(frozen=True)
class OptionRemark:
    setting: Setting
    kind: str
    text: str

    def __str__(self) -> str:
        where = f'{self.setting.file}:{self.setting.line}'
        return f'{where}: {self.kind}: [{self.setting.group}] {self.setting.name}: {self.text}'


def settings_of(file: str) -> list[Setting]:
    """Return the options that a file sets, in its order. Raises OSError and ValueError."""
    found, group = [], 'DEFAULT'
    try:
        text = Path(file).read_text(encoding='utf-8')
    except UnicodeDecodeError:
        raise ValueError(f'{file}: it is not UTF-8 text') from None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith(('#', ';', ' ', '\t')):
            continue  # a line that begins with a space continues the value before it
        section = SECTION.match(line)
        if section:
            group = section[1]
            continue
        setting = SETTING.match(line)
        if setting is None:
            raise ValueError(f'{file}:{number}: the line is neither a [group] nor NAME = VALUE')
        found.append(Setting(file, number, group, setting[1], setting[2]))
    return found


def known_options(settings: list[Setting]) -> dict[str, dict[str, cfg.Opt]]:
    """Return {group: {name: option}}; deprecated names of options are names, too.

    The options of a login depend on the ``auth_type`` that the files set.
    """
    found: dict[str, dict[str, cfg.Opt]] = collections.defaultdict(dict)
    listed = list(options.list_opts())
    for entry in importlib.metadata.entry_points(group='oslo.config.opts'):
        if entry.name in option_facts.LIBRARIES:
            listed += entry.load()()
    types = {each.group: each.value for each in settings if each.name == 'auth_type'}
    sections = {each.value for each in settings if each.name == 'auth_section'}
    ec2 = {each.group for each in settings if each.group.startswith(option_facts.EC2_CLOUD)}
    for group in {*option_facts.LOGINS, option_facts.EC2, *ec2, *sections}:
        listed.append((group, _login_options(types.get(group, 'password'))))
    listed += [(group, _connection_options()) for group in ec2]
    for group, opts in listed:
        for option in opts:
            for place, name in _names(group or 'DEFAULT', option):
                found[place].setdefault(name, option)
    return found


def _login_options(auth_type: str) -> list[Opt]:
    try:
        plugin = loading.get_auth_plugin_conf_options(auth_type)
    except ks_exceptions.NoMatchingPlugin:
        plugin = []
    return [*loading.get_auth_common_conf_options(), *plugin]


def _connection_options() -> list[Opt]:
    return [*loading.get_session_conf_options(), *loading.get_adapter_conf_options()]


def _names(group: str, option: Opt) -> Iterator[tuple[str, str]]:
    """Yield the (group, name) by which a file may set an option, the present one first."""
    yield group, option.dest
    yield group, option.name
    for old in option.deprecated_opts:
        place = group if old.group is None else old.group
        for name in (old.name or option.name, (old.name or option.name).replace('-', '_')):
            yield place, name


def check(files: list[str]) -> list[OptionRemark]:
    """Return the findings of files, in the order of the options.

    Raises OSError and ValueError for a file that cannot be read.
    """
    settings = [each for file in files for each in settings_of(file)]
    known, values = known_options(settings), {(each.group, each.name): each for each in settings}
    findings = [finding for each in settings for finding in _check(each, known, values)]
    return [*findings, *_missing_login(settings, values)]


def warn_unknown(conf: cfg.ConfigOpts) -> None:
    """Log a warning for each unknown option in the configuration files of a program.

    A process that replaces another one does not: it takes a third of a second, and was said.
    """
    files = program_settings.config_files(conf)
    is_first = supervisor.WorkerSlot.from_environment() is None
    for each in check(files) if files and is_first else ():
        if each.kind == UNKNOWN:
            LOG.warning('%s It has no effect unless a plug-in reads it.', each)


def _missing_login(
    settings: Value, values: Mapping[tuple[str, str], Any]
) -> Iterator[OptionRemark]:
    """Yield a finding if Keystone would validate no signature, at the place for the login.

    Files without a login of the service at all are parts of a configuration.
    """
    if not option_facts.lacks_ec2_login(values):
        return
    groups = (option_facts.EC2, option_facts.LOGINS[0])
    places = [each for group in groups for each in settings if each.group == group]
    for place in places[:1]:
        absent = dataclasses.replace(place, group=option_facts.EC2, name='auth_type', value='')
        yield OptionRemark(absent, MISSING, NO_LOGIN)


def _check(
    setting: Any, known: Any, values: Mapping[tuple[str, str], Any]
) -> Iterator[OptionRemark]:
    group, name = setting.group, setting.name
    reason = option_facts.UNUSED_GROUPS.get(group) or option_facts.UNUSED.get(
        # the group of one of several clouds, e.g. [ec2authtoken.one], has the options of its kind
        (group.partition('.')[0], name.replace('-', '_'))
    )
    if option_facts.ec2_cloud_is_unused(group, values):
        reason = NOT_ASKED
    if reason is not None:
        yield OptionRemark(setting, NO_EFFECT, reason)
        return
    option = known.get(group, {}).get(name)
    if option is None:
        yield OptionRemark(setting, UNKNOWN, _unknown(setting, known))
        return
    yield from _deprecations(setting, option)
    yield from _value_error(setting, option)
    before, mark, reason = (option.help or '').partition(MARK)
    if mark:
        yield OptionRemark(setting, NO_EFFECT, ' '.join(reason.split()).lstrip(':. ') or 'none.')
    differs = option_facts.DIFFERS.get((group, option.dest))
    if differs is not None and differs.applies(setting.value, values):
        yield OptionRemark(setting, DIFFERS, differs.text)


def _unknown(setting: Any, known: Any) -> str:
    group, name = setting.group, setting.name
    if group not in known:
        return f'there is no group [{group}].{suggest(group, known)}'
    places = sorted(place for place, names in known.items() if name in names)
    if places and len(places) < 4:
        return f'the option belongs to the group {" or ".join(f"[{each}]" for each in places)}.'
    return f'there is no option of this name.{suggest(name, known[group])}'


def _deprecations(setting: Any, option: Opt) -> Iterator[OptionRemark]:
    if setting.name not in (option.name, option.dest):
        yield OptionRemark(setting, DEPRECATED, f'the present name is {option.dest}.')
    if option.deprecated_for_removal:
        reason = ' '.join((option.deprecated_reason or '').split())
        yield OptionRemark(setting, DEPRECATED, f'the option will be removed. {reason}'.strip())


def _value_error(setting: Any, option: Opt) -> Iterator[OptionRemark]:
    """Yield a finding for a value that the type of the option refuses.

    Values that other options are put into are known at run time only.
    """
    if '$' in setting.value or isinstance(option, cfg.MultiOpt):
        return
    refusal = option_facts.REFUSED.get((setting.group, option.dest))
    if refusal is not None and setting.value not in refusal.accepted:
        yield OptionRemark(setting, INVALID, refusal.text)
    try:
        option.type(setting.value)
    except ValueError as error:
        text = 'the value is refused' if option.secret else str(error)
        yield OptionRemark(setting, INVALID, text)


def report(files: list[str]) -> int:
    """Print the findings of files. Return the exit status."""
    findings = check(files)
    for each in findings:
        print(each)
    counts = collections.Counter(each.kind for each in findings)
    print(', '.join(f'{kind}: {number}' for kind, number in counts.items()) or 'no findings')
    if any(each.kind in ERRORS for each in findings):
        return HAS_ERRORS
    return HAS_FINDINGS if findings else 0
