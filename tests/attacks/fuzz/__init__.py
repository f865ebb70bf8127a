"""Generated hostile requests: their strategies, the process that sends them, and its report."""
