"""Types that need no cloud but the orchestration service itself."""
