"""The API of the CloudWatch kind: alarms of OS::Heat::CWLiteAlarm, and their measurements."""
