"""What the APIs of the CloudFormation and CloudWatch kinds share: the query protocol of AWS."""
