"""Lives of resource types on a real cloud; see ``__main__``. Nothing here is run by the test suites: it wants a cloud."""
