"""What libraries import and hardly ever use is loaded when it is first used, or not at all: memory in each process, time at each start.

``concurrency`` asks for it before a program of ours imports much else. What a library takes out of a module at once
(``from jinja2 import Template``) loads that module as ever, so nothing is lost where these lists are wrong.
"""

import importlib
import importlib.util
import re
import sys
import threading
import types
import warnings

#: jinja2: a page of a filter that we do not use; psutil: the addresses of network cards; yappi: a profiler
LATE = ('asyncio', 'jinja2', 'psutil', 'yappi')
#: guesses at the encoding of texts whose server does not tell it; requests does without, and takes them for UTF-8
NEVER = ('charset_normalizer', 'chardet')
#: where oslo makes 500 regular expressions to blank secrets out of logs, with which flags; that is a tenth of the time of a start
SECRETS = 'oslo_utils.strutils'
FLAGS = re.DOTALL | re.IGNORECASE


def set_up():
    """From now on imports of these modules cost nothing."""
    for name in NEVER:
        sys.modules.setdefault(name, None)
    for name in LATE:
        if name not in sys.modules:
            _put_off(name)
    warnings.filterwarnings('ignore', 'Unable to find acceptable character detection dependency')


def load_secrets():
    """Load oslo's expressions for secrets as texts, which ``re`` compiles, and remembers, when a log has such a word."""
    if SECRETS in sys.modules:
        return
    compiled = re.compile
    re.compile = lambda pattern, flags=0: f'(?is){pattern}' if flags == FLAGS else compiled(pattern, flags)
    try:
        module = importlib.import_module(SECRETS)
    finally:
        re.compile = compiled
    try:
        safe = module.mask_password("sslkey='x'") == "sslkey='***'"
    except (AttributeError, TypeError):
        safe = False
    if not safe:
        importlib.reload(module)


class _Late(types.ModuleType):
    """A module that runs when something in it is asked for."""

    def __getattr__(self, name):
        with _loading:
            if type(self) is _Late:
                self.__class__ = _Running
                if self.__spec__.submodule_search_locations is not None:
                    self.__path__ = self.__spec__.submodule_search_locations
                try:
                    self.__spec__.loader.exec_module(self)
                finally:
                    self.__class__ = types.ModuleType
            return getattr(self, name)


class _Running(types.ModuleType):
    """The same while it runs: other threads wait for its end."""

    def __getattr__(self, name):
        if _loading._is_owned():
            raise AttributeError(f'module {self.__name__!r} has no attribute {name!r}', name=name, obj=self)
        with _loading:
            return getattr(self, name)


_loading = threading.RLock()


def _put_off(name):
    spec = importlib.util.find_spec(name)
    if spec is None:
        return
    module = _Late(name)
    vars(module).update(vars(importlib.util.module_from_spec(spec)))
    # whoever imports a part of a package asks for this first, and the whole must be loaded before its parts
    vars(module).pop('__path__', None)
    sys.modules[name] = module
