"""/healthz: this process answers. /readyz: it can serve people (database, migrations), and which jobs are slow."""

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone

from config.jobs.turns import slow


def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type="text/plain")


def readyz(request: HttpRequest) -> JsonResponse:
    """200 when this process can serve people, else 503: what restarting it might mend. Jobs that wait are none of that;
    `slow` names their lanes, each with the seconds that the oldest job has waited beyond READY_MAX_QUEUE_SECONDS."""
    checks: dict[str, object] = {"database": False, "migrations": False}
    try:
        executor = MigrationExecutor(connection)
        checks["database"] = True
        checks["migrations"] = not executor.migration_plan(executor.loader.graph.leaf_nodes())
        checks["slow"] = slow(timezone.now())
    except Exception as error:  # any failure at all means: not ready
        checks["error"] = type(error).__name__
    ready = bool(checks["database"] and checks["migrations"] and "error" not in checks)
    return JsonResponse({"ready": ready, **checks}, status=200 if ready else 503)
