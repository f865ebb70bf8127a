"""The CloudFormation-compatible API. It has the actions of stacks, and signals by signed URLs."""
