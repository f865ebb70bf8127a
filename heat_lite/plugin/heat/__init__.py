"""What plug-ins import under the names of Heat's modules.

``surface`` lists the modules and their names; the import hook in ``common`` offers them. The code
of the service imports nothing from this package.
"""
