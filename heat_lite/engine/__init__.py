"""The engine: stacks, their resources, their actions, and the share of work among engines."""
