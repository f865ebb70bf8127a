"""The engine: what a stack is, what its actions do, and who walks the plan."""
