"""Types that stand for objects of the services of a cloud, a folder for each service."""
