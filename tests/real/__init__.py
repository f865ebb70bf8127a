"""Scenarios of resource types on a real cloud; see ``__main__``. No test suite runs them."""
