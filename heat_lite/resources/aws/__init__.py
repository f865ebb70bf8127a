"""Resource types with the names of AWS CloudFormation."""
