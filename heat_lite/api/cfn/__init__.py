"""The door for programs that speak CloudFormation. So far it takes signals by signed URLs, and nothing else."""
