"""Types of AWS::EC2: what Amazon calls its networks, addresses, disks and servers, made of those of this cloud."""
