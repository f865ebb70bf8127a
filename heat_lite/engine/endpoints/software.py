"""The RPC endpoints for software configurations and their deployments.

Tests: tests/functional/test_software.py.
"""

from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Value
from heat_lite.db import session
from heat_lite.engine import scheduler
from heat_lite.engine.endpoints.base import Endpoint, Wire


class SoftwareConfigs(Endpoint):
    def list_software_configs(
        self,
        context: RequestContext,
        limit: int | None = None,
        marker: str | None = None,
        tenant_safe: bool = True,
    ) -> list[Wire]:
        """Return a page of configurations, newest first, without their contents."""
        with session.late_reads():
            return self._runtime.software(context).list_configs(limit, marker, tenant_safe)

    def show_software_config(self, context: RequestContext, config_id: str) -> Wire:
        return self._runtime.software(context).show_config(config_id)

    def create_software_config(
        self,
        context: RequestContext,
        group: str,
        name: str,
        config: Value,
        inputs: list | None = None,
        outputs: list | None = None,
        options: Value = None,
    ) -> Wire:
        return self._runtime.software(context).create_config(
            group, name, config, inputs, outputs, options
        )

    def delete_software_config(self, context: RequestContext, config_id: str) -> None:
        """Delete a configuration. Raises InvalidRestrictedAction while it is deployed."""
        self._runtime.software(context).delete_config(config_id)


class SoftwareDeployments(Endpoint):
    def list_software_deployments(
        self, context: RequestContext, server_id: str | None = None
    ) -> list[Wire]:
        with session.late_reads():
            return self._runtime.software(context).list_deployments(server_id)

    def metadata_software_deployments(self, context: RequestContext, server_id: str) -> list[Wire]:
        """Return the configurations that the agent of a server applies."""
        return self._runtime.software(context).configs_for_server(server_id)

    def show_software_deployment(self, context: RequestContext, deployment_id: str) -> Wire:
        return self._runtime.software(context).show_deployment(deployment_id)

    def create_software_deployment(
        self,
        context: RequestContext,
        server_id: str,
        config_id: str | None = None,
        deployment_id: str | None = None,
        input_values: Wire | None = None,
        action: str = 'INIT',
        status: str = 'COMPLETE',
        status_reason: str = '',
        stack_user_project_id: str | None = None,
    ) -> Wire:
        """Create a deployment.

        Raises Invalid for a ``stack_user_project_id`` that no stack of the requester has.
        """
        software = self._runtime.software(context)
        software.require_own_user_project(stack_user_project_id)
        values = {
            'server_id': server_id,
            'config_id': config_id,
            'input_values': input_values,
            'action': action,
            'status': status,
            'status_reason': status_reason,
            'stack_user_project_id': stack_user_project_id,
        }
        return software.create_deployment(values, deployment_id)

    def update_software_deployment(
        self,
        context: RequestContext,
        deployment_id: str,
        config_id: str | None = None,
        input_values: Wire | None = None,
        output_values: Wire | None = None,
        action: str | None = None,
        status: str | None = None,
        status_reason: str | None = None,
        updated_at: str | None = None,
    ) -> Wire:
        """Change the values given."""
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

    def delete_software_deployment(self, context: RequestContext, deployment_id: str) -> None:
        self._runtime.software(context).delete_deployment(deployment_id)

    def signal_software_deployment(
        self,
        context: RequestContext,
        deployment_id: str,
        details: Value,
        updated_at: str | None = None,
    ) -> str | None:
        """Store the result that a server reports.

        Return a sentence about it; None if the deployment had ended.
        """
        return self._runtime.software(context).signal_deployment(deployment_id, details, updated_at)

    def check_software_deployment(
        self, context: RequestContext, deployment_id: str, timeout: float
    ) -> Wire:
        """Wait for the end of a deployment, slightly less than the ``timeout`` of the caller.

        Return it.
        """
        waiting = self._runtime.software(context).ended(
            deployment_id, timeout - min(1, timeout / 4)
        )
        results = []
        runner = scheduler.TaskRunner(waiting, name=f'wait for deployment {deployment_id}')
        job = self._runtime.pool.spawn(
            runner, on_end=lambda result, error: results.append((result, error))
        )
        job.ended.wait()
        result, error = results[0]
        if error is not None:
            raise error
        return result
