"""Types that stand for objects of the alarming service."""
