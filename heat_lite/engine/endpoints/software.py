"""The doors for software configurations and their deployments."""

from heat_lite.engine import scheduler
from heat_lite.engine.endpoints.base import Endpoint


class SoftwareConfigs(Endpoint):
    def list_software_configs(self, context, limit=None, marker=None, tenant_safe=True):
        """A page, newest first, without the configurations themselves."""
        return self._runtime.software(context).list_configs(limit, marker, tenant_safe)

    def show_software_config(self, context, config_id):
        return self._runtime.software(context).show_config(config_id)

    def create_software_config(self, context, group, name, config, inputs=None, outputs=None, options=None):
        return self._runtime.software(context).create_config(group, name, config, inputs, outputs, options)

    def delete_software_config(self, context, config_id):
        """One that is deployed cannot be deleted."""
        self._runtime.software(context).delete_config(config_id)


class SoftwareDeployments(Endpoint):
    def list_software_deployments(self, context, server_id=None):
        return self._runtime.software(context).list_deployments(server_id)

    def metadata_software_deployments(self, context, server_id):
        """What the agent on a server is to do."""
        return self._runtime.software(context).of_server(server_id)

    def show_software_deployment(self, context, deployment_id):
        return self._runtime.software(context).show_deployment(deployment_id)

    def create_software_deployment(
        self,
        context,
        server_id,
        config_id=None,
        deployment_id=None,
        input_values=None,
        action='INIT',
        status='COMPLETE',
        status_reason='',
        stack_user_project_id=None,
    ):
        values = {
            'server_id': server_id,
            'config_id': config_id,
            'input_values': input_values,
            'action': action,
            'status': status,
            'status_reason': status_reason,
            'stack_user_project_id': stack_user_project_id,
        }
        return self._runtime.software(context).create_deployment(values, deployment_id)

    def update_software_deployment(
        self,
        context,
        deployment_id,
        config_id=None,
        input_values=None,
        output_values=None,
        action=None,
        status=None,
        status_reason=None,
        updated_at=None,
    ):
        """Change what is given."""
        values = {
            'config_id': config_id,
            'input_values': input_values,
            'output_values': output_values,
            'action': action,
            'status': status,
            'status_reason': status_reason,
            'updated_at': updated_at,
        }
        return self._runtime.software(context).update_deployment(deployment_id, values)

    def delete_software_deployment(self, context, deployment_id):
        self._runtime.software(context).delete_deployment(deployment_id)

    def signal_software_deployment(self, context, deployment_id, details, updated_at=None):
        """Take what a server tells of the end of a deployment. A sentence about it; None where nobody has waited for that."""
        return self._runtime.software(context).signal_deployment(deployment_id, details, updated_at)

    def check_software_deployment(self, context, deployment_id, timeout):
        """Wait for its end, a little less than the ``timeout`` after which nobody waits for the answer. Gives it as it is then."""
        waiting = self._runtime.software(context).ended(deployment_id, timeout - min(1, timeout / 4))
        ends = []
        runner = scheduler.TaskRunner(waiting, name=f'the end of deployment {deployment_id}')
        job = self._runtime.pool.spawn(runner, on_end=lambda result, error: ends.append((result, error)))
        job.ended.wait()
        result, error = ends[0]
        if error is not None:
            raise error
        return result
