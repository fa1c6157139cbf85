"""The refusals of the plugin; routes import them, so that the API knows them before it answers."""

from elcano.api.http.errors import Refusal


class TenantNotFound(Refusal, status=404, title="No such tenant"):
    """Nothing is stored of a tenant of this name, or it is not for the principal to manage."""


class DeletionNotFound(Refusal, status=404, title="No such deletion"):
    """Nobody has asked for the deletion of the tenant."""


class TenantBeingDeleted(Refusal, status=409, title="The tenant is being deleted", retry_after=60):
    """No run starts for a tenant whose deletion goes on."""
