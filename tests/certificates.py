"""Certificates for servers of tests."""

import datetime
import ipaddress
import ssl

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def make(folder):
    """Write a new authority and a certificate of it for 127.0.0.1. Return (authority, context)."""
    now = datetime.datetime.now(datetime.UTC)
    keys = {name: ec.generate_private_key(ec.SECP256R1()) for name in ('authority', 'server')}
    names = {
        name: x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        for name in ('authority', 'server')
    }
    identifier = x509.SubjectKeyIdentifier.from_public_key(keys['authority'].public_key())
    for name in keys:
        certificate = (
            x509.CertificateBuilder()
            .subject_name(names[name])
            .issuer_name(names['authority'])
            .public_key(keys[name].public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.BasicConstraints(name == 'authority', None), critical=True)
            # Python 3.13 and later refuse certificates without these three
            .add_extension(
                x509.KeyUsage(
                    digital_signature=True,
                    content_commitment=False,
                    key_encipherment=False,
                    data_encipherment=False,
                    key_agreement=False,
                    key_cert_sign=name == 'authority',
                    crl_sign=False,
                    encipher_only=False,
                    decipher_only=False,
                ),
                critical=True,
            )
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(keys[name].public_key()), False
            )
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), False
            )
            .add_extension(
                x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address('127.0.0.1'))]),
                critical=False,
            )
            .sign(keys['authority'], hashes.SHA256())
        )
        (folder / f'{name}.pem').write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / 'server.key').write_bytes(
        keys['server'].private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / 'server.pem', folder / 'server.key')
    return folder / 'authority.pem', context
