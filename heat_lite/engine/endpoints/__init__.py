"""The doors of the engine: the methods that RPC reaches, one module a noun."""
