"""Several engines share the work: heartbeat, membership, placement and take-over."""
