"""What every floor above may use: exceptions, identity, names, states."""
