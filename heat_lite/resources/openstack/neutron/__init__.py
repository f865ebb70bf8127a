"""Types that stand for objects of the network service."""
