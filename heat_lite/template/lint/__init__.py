"""The linter of templates and environments: ``linter.Linter`` applies the rules of ``rules``."""
