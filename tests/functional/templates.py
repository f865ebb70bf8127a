"""Templates that several test modules use."""

CHAIN = """
heat_template_version: 2021-04-16
parameters:
  word: {type: string, default: one}
resources:
  first: {type: OS::Heat::Value, properties: {value: {get_param: word}}}
  second: {type: OS::Heat::TestResource, properties: {value: {get_attr: [first, value]}}}
  third: {type: OS::Heat::RandomString, depends_on: second, properties: {length: 10}}
outputs:
  word: {value: {get_attr: [second, output]}}
  random: {value: {get_attr: [third, value]}}
"""

FAILING = """
heat_template_version: 2021-04-16
resources:
  good: {type: OS::Heat::Value, properties: {value: 1}}
  bad: {type: OS::Heat::TestResource, depends_on: good, properties: {fail: true}}
"""

SLOW = """
heat_template_version: 2021-04-16
resources:
  slow: {type: OS::Heat::TestResource, properties: {action_wait_secs: {create: 600}}}
"""
