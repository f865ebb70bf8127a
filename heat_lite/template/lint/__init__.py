"""The linter of templates and environments: text in, findings out. ``linter.Linter`` is the way in, ``rules`` what it looks for."""
