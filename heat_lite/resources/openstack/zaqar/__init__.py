"""Types that stand for objects of the messaging service."""
