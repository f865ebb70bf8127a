"""The RPC endpoints of the engine: the methods that clients call, one module a noun."""
