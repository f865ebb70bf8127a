"""The ciphers of VPN policies."""

AUTHENTICATION = ['sha1', 'sha256', 'sha384', 'sha512', 'aes-xcbc', 'aes-cmac']
#: the modes of AES with each key size
MODES = ('', '-ccm-8', '-ccm-12', '-ccm-16', '-gcm-8', '-gcm-12', '-gcm-16', '-ctr')
ENCRYPTION = ['3des', *(f'aes-{bits}{mode}' for mode in MODES for bits in (128, 192, 256))]
GROUPS = ['group2', 'group5', *(f'group{number}' for number in range(14, 32))]
