"""Who asks: the identity of a request, as data that travels over RPC. It holds no clients and opens no connections."""

from oslo_context import context as oslo_context


class RequestContext(oslo_context.RequestContext):
    """oslo.context's identity (user, project, domains, roles, token, request id) with what orchestration needs.

    ``tenant_id`` is the project; ``username`` and ``password`` come from the user/password pipeline; ``trust_id`` and
    ``trustor_user_id`` from stored credentials; ``region_name`` and ``auth_url`` name the cloud. ``is_admin`` is decided by policy when
    the context is made.
    """

    EXTRA = ('username', 'password', 'auth_url', 'aws_creds', 'trust_id', 'trustor_user_id', 'region_name')

    def __init__(
        self, username=None, password=None, auth_url=None, aws_creds=None, trust_id=None, trustor_user_id=None, region_name=None, **kwargs
    ):
        kwargs.setdefault('overwrite', True)
        super().__init__(**kwargs)
        self.username = username or self.user_name
        self.password = password
        self.auth_url = auth_url
        self.aws_creds = aws_creds
        self.trust_id = trust_id
        self.trustor_user_id = trustor_user_id
        self.region_name = region_name

    @property
    def tenant_id(self):
        return self.project_id

    def to_dict(self):
        """All of it, secrets included: this is what crosses RPC."""
        values = super().to_dict()
        values.update({name: getattr(self, name) for name in self.EXTRA})
        values['roles'] = list(self.roles or ())
        return values

    @classmethod
    def from_dict(cls, values, **kwargs):
        extra = {name: values.get(name) for name in cls.EXTRA}
        return super().from_dict(values, **{**extra, **kwargs})

    def in_region(self, name):
        """The same one asking, in another region."""
        return type(self).from_dict({**self.to_dict(), 'region_name': name})

    def to_policy_values(self):
        values = super().to_policy_values()
        values['tenant'] = values['tenant_id'] = self.project_id
        return values


def admin_context(project_id=None):
    """The service itself: used by timers, clean-up and ``heat-lite-manage``."""
    return RequestContext(is_admin=True, project_id=project_id, overwrite=False)
