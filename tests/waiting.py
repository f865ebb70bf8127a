"""How long tests wait for what is to become so. Only what never does takes that long: a machine may be busy with other things."""

#: in seconds
PATIENCE = 180
