"""The CloudFormation-compatible API. It accepts signals by signed URLs only."""
