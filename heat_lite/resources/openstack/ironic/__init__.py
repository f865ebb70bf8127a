"""Types that stand for objects of the bare metal service."""
