"""What the configuration says about servers that templates leave open, and about what is told to them."""

import dataclasses

USUAL = {'software_config_transport': 'POLL_SERVER_CFN', 'user_data_format': 'HEAT_CFNTOOLS'}


@dataclasses.dataclass(frozen=True)
class Guests:
    """``defaults``: values of properties that are others than usual. ``hints``: whether the scheduler is told of stacks. ``boto``: how
    the client in a server speaks with the API for CFN, which is at ``metadata_server``: by HTTPS, and whether it checks certificates.
    ``signal_transport``: how a server tells what came of a deployment."""

    defaults: dict = dataclasses.field(default_factory=dict)
    hints: bool = False
    name_length: int = 53
    metadata_server: str | None = None
    boto: tuple = ('0', '1')
    signal_transport: str = 'CFN_SIGNAL'


def of(conf):
    said = {
        'software_config_transport': conf.default_software_config_transport,
        'user_data_format': conf.default_user_data_format,
    }
    return Guests(
        defaults={name: value for name, value in said.items() if value != USUAL[name]},
        hints=conf.stack_scheduler_hints,
        name_length=conf.max_server_name_length,
        metadata_server=_metadata_server(conf),
        signal_transport=conf.default_deployment_signal_transport,
        boto=(conf.instance_connection_is_secure, conf.instance_connection_https_validate_certificates),
    )


def _metadata_server(conf):
    """As it is configured; else it is where wait conditions are signalled, for that is the same API."""
    url = conf.heat_metadata_server_url or conf.heat_waitcondition_server_url
    return url and url.rstrip('/').removesuffix('/waitcondition').removesuffix('/v1')
