"""Types under the names of AWS CloudFormation."""
