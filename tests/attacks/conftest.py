"""The running services of the functional tests, for attacks on the whole service."""

from tests.functional.conftest import service, services

__all__ = ['service', 'services']
