"""The first steps of every program: options, logging, plug-ins."""
