"""Types that stand for objects of the DNS service."""
