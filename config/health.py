"""/healthz: this process answers. /readyz: the service works (database, migrations, a living worker)."""

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.module_loading import import_string


def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type="text/plain")


def readyz(request: HttpRequest) -> JsonResponse:
    """200 when every check holds, else 503; `oldest_queued_seconds` is what proves that a worker works."""
    checks: dict[str, object] = {"database": False, "migrations": False, "worker": False}
    try:
        executor = MigrationExecutor(connection)
        checks["database"] = True
        checks["migrations"] = not executor.migration_plan(executor.loader.graph.leaf_nodes())
        age = import_string("rules.selectors.oldest_queued_seconds")(timezone.now())
        checks["oldest_queued_seconds"] = round(age, 1)
        checks["worker"] = age < settings.READY_MAX_QUEUE_SECONDS
    except Exception as error:  # any failure at all means: not ready
        checks["error"] = type(error).__name__
    ready = bool(checks["database"] and checks["migrations"] and checks["worker"])
    return JsonResponse({"ready": ready, **checks}, status=200 if ready else 503)
