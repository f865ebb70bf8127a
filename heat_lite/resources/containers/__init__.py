"""Resource types of container engines: HeatLite::Container::* and DockerInc::Docker::Container."""
