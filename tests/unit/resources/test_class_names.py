"""The names of Heat's classes, which reports of circular dependencies show.

``class_names.json`` was recorded from such reports of Heat, one for each type.
"""

import importlib
import json
from pathlib import Path

import pytest

from heat_lite.resources import type_table

RECORDED = Path(__file__).resolve().parents[2] / 'reference' / 'class_names.json'


@pytest.mark.parametrize(('type_name', 'name'), json.loads(RECORDED.read_text()).items())
def test_type_has_the_name_of_the_class_of_heat(type_name, name):
    module, _, class_name = type_table.TYPES[type_name].partition(':')
    cls = getattr(importlib.import_module(f'heat_lite.resources.{module}'), class_name)
    assert cls.__name__ == name
