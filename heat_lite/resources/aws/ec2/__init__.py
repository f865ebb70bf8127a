"""Resource types of AWS::EC2, implemented by objects of Neutron, Nova and Cinder."""
