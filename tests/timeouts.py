"""The timeout of tests for a state to be reached."""

#: in seconds; generous, because the machine may be loaded, and reached only when the test fails
WAIT_SECONDS = 180
