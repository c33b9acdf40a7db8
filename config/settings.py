"""Every setting. Those of this table come from the environment; the defaults make the embedded service (one machine, no
servers). Numbers that are ours, such as LIMITS (requests per person), stand below.

| variable | default | meaning |
|---|---|---|
| HEADJUDGE_VAR | ./var; installed: your data folder | folder of the database, the queue and the secret key |
| DATABASE_URL | SQLite in HEADJUDGE_VAR | `postgres://user:pass@host:5432/name` in production |
| CELERY_BROKER_URL | files in HEADJUDGE_VAR | `redis://host:6379/0` in production |
| CACHE_URL | files in HEADJUDGE_VAR | `redis://host:6379/1` in production |
| SECRET_KEY | generated once into HEADJUDGE_VAR | required in production |
| PRODUCTION | off | on: refuses the embedded defaults and sends security headers for HTTPS |
| ALLOWED_HOSTS | * embedded | comma separated; required in production |
| CSRF_TRUSTED_ORIGINS | none | comma separated, with scheme |
| TRUSTED_PROXIES | 0, in production 1 | proxies in front of the service that add to X-Forwarded-For |
| WEBHOOK_HOSTS | none | hosts that webhooks may use: `hooks.example.org,*.example.net` |
| WEBHOOK_NETWORKS | none | private networks that such a host may be in: `10.1.0.0/16` |
| EMAIL_URL | none | mail server, `smtp+tls://name:password@mail.example.org:587`; with ALLOWED_HOSTS; none: no mail |
| DEFAULT_FROM_EMAIL | headjudge@localhost | the sender of mail |
| WEB_PUSH_KEY | none | the key for alerts to closed browsers (`manage.py push_key` makes one); none: no such alerts |
| WEB_PUSH_CONTACT | none | who push services can write to, `mailto:you@example.org`; required with WEB_PUSH_KEY |
| WEB_PUSH_HOSTS | Chrome's, Firefox's, Safari's, Edge's | hosts of push services that alerts may use |
| SIGN_UP | on | off: people can't create accounts themselves |
| DEFAULT_FORMAT | coc-lcg | the format that forms suggest |
| ADJUDICATION_BUDGET | 200000 | most positions explored for one dispute, unless the event sets a limit |
| ADJUDICATION_SECONDS | 300 | most seconds one run may take, in a worker or at the command line |
| ADJUDICATION_MEMORY_MB | 1000 | most memory one run may add to its process |
| TIME_ZONE | UTC | for times outside an event, such as when a deck was checked; an event has its own time zone |
| LOG_LEVEL | INFO | `DEBUG`, `INFO`, `WARNING` or `ERROR` |
| LOG_FORMAT | line | `json`: one JSON object per line |
| SLOW_QUERY_MS | 0, with DEBUG 100 | log queries that take at least this many milliseconds; 0: none |
| WEB_THREADS | 4 | requests a web process handles at the same time |
| COSTLY_AT_ONCE | 2 | rules questions, deck checks and event files read at the same time on one machine; 0: no limit |
| RULES_REVIEWERS | none | user names of the people who edit card groups and review rulings for the whole site |
| METRICS_TOKEN | none | token for `/metrics`, sent as `Authorization: Bearer`; none: only this machine can read it |
"""

import errno
import os
import secrets
import sys
from pathlib import Path
from typing import Any

import environ
from django.conf import global_settings
from platformdirs import user_data_dir

env = environ.Env()

BASE_DIR = Path(__file__).resolve().parent.parent
_CHECKOUT = (
    BASE_DIR / "manage.py"
).exists()  # else it is installed, and a person's data has a place of its own
PROGRAM = "manage.py" if _CHECKOUT else "headjudge"  # as people type it
_FOLDER = BASE_DIR / "var" if _CHECKOUT else Path(user_data_dir("headjudge", appauthor=False))
VAR_DIR = Path(env.str("HEADJUDGE_VAR", default=str(_FOLDER))).resolve()
try:
    VAR_DIR.mkdir(parents=True, exist_ok=True)
    if not os.access(VAR_DIR, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
except OSError as _error:
    sys.exit(
        f"Headjudge can’t write to its folder {VAR_DIR} ({_error.strerror}). "
        "Make it writable, or set HEADJUDGE_VAR to a folder that is."
    )

PRODUCTION = env.bool("PRODUCTION", default=False)
DEBUG = env.bool("DEBUG", default=False)


def _secret_key() -> str:
    """The given key, or for the embedded service one made on first start and kept (mode 600)."""
    if given := env.str("SECRET_KEY", default=""):
        return given
    if PRODUCTION:
        return ""  # config.checks says so in words; Django refuses to start without it
    path = VAR_DIR / "secret_key"
    if not path.exists():
        _make_key(path)
    try:
        key = path.read_text()
    except OSError as error:
        sys.exit(
            f"Headjudge can’t read its secret key {path} ({error.strerror}). "
            "Move it away; a new one is generated, and people have to log in again."
        )
    if not key:
        sys.exit(f"Headjudge’s secret key {path} is empty. Delete it; a new one is generated.")
    return key


def _make_key(path: Path) -> None:
    """Put a new key there, unless another process that starts at the same moment has: whole, or not at all."""
    made = path.with_name(f"secret_key.{secrets.token_hex(8)}")
    try:
        made.touch(0o600, exist_ok=False)
        made.write_text(secrets.token_urlsafe(50))
        os.link(made, path)
    except FileExistsError:
        pass
    except OSError:
        if not made.exists():
            raise
        made.replace(path)  # a disk without hard links
    finally:
        made.unlink(missing_ok=True)


SECRET_KEY = _secret_key()
SECRET_KEY_GIVEN = bool(env.str("SECRET_KEY", default=""))
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[] if PRODUCTION else ["*"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

# --- applications -----------------------------------------------------------------------------------

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "django_htmx",
    "config",
    "rules",
    "decks",
    "tournament",
]

MIDDLEWARE = [
    "config.middleware.RequestId",
    "config.middleware.Hosts",
    "config.logs.SlowQueries",
    "config.middleware.Methods",
    "config.middleware.BodyLimit",
    "django.middleware.security.SecurityMiddleware",
    "config.headers.ContentSecurityPolicy",
    "django.middleware.gzip.GZipMiddleware",  # a page goes over a venue's phones in a quarter of its size
    "config.live.Unchanged",  # a poll to which nothing happened costs neither a session nor a person
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "config.languages.PersonLanguage",
    "django.contrib.messages.middleware.MessageMiddleware",
    "config.limits.PageChanges",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.middleware.Errors",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# --- people -----------------------------------------------------------------------------------------

AUTH_USER_MODEL = "tournament.User"
AUDIT_MODEL = "tournament.AuditRow"  # config.audit writes it, so that lower apps need not import it
FAULT_MODEL = "tournament.Fault"  # config.operations writes these two
PROCESS_MODEL = "tournament.Process"
AUDIT_LISTENER = "tournament.services.outside.news.audit_written"  # hears of every row, in its transaction
DISPUTE_BUDGET = "tournament.selectors.dispute_budget"  # rules asks it how far the engine may go
DISPUTE_IN_A_ROUND = "tournament.selectors.dispute_in_a_round"  # rules asks it whether a round waits
DISPUTE_STANDING = "tournament.selectors.dispute_standing"  # rules asks it who judges a match's dispute
RULING_PLACED = "tournament.services.ruling_placed"  # rules tells it of a ruling on a dispute
JUDGED = "tournament.selectors.judged"  # which rulings and disputes somebody reads as a judge
RULES_REVIEWERS = env.list("RULES_REVIEWERS", default=[])
EVENT_READINGS = "tournament.selectors.readings_for"  # how one's events read what the law leaves open
DEFAULT_FORMAT = env.str("DEFAULT_FORMAT", default="coc-lcg")  # what forms propose first
REVISIONS_HELD = "tournament.selectors.revisions_held"  # decks asks it which lists stand in events
SIGN_UP = env.bool("SIGN_UP", default=True)
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# --- storage ----------------------------------------------------------------------------------------

DATABASES = {"default": env.db_url("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'headjudge.sqlite3'}")}
EMBEDDED_DATABASE = DATABASES["default"]["ENGINE"].endswith("sqlite3")
if EMBEDDED_DATABASE:
    # WAL lets readers go on while one writes; IMMEDIATE takes the write lock at BEGIN, so that a
    # transaction waits its turn instead of failing in the middle ("database is locked").
    DATABASES["default"]["OPTIONS"] = {
        "timeout": 20,
        "transaction_mode": "IMMEDIATE",
        "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL",
    }
# Also embedded: as long as somebody holds it open, a database on a full disk can still be read.
DATABASES["default"].setdefault("CONN_MAX_AGE", 60)
if not EMBEDDED_DATABASE:
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHES = {"default": env.cache_url("CACHE_URL", default=f"filecache://{VAR_DIR / 'cache'}")}

# --- work queue: the database row is the truth, the broker only a doorbell (docs/jobs.md) -------------

JOB_LEASE_SECONDS = env.float("JOB_LEASE_SECONDS", default=15.0)
JOB_RESEND_SECONDS = env.float("JOB_RESEND_SECONDS", default=5.0)
JOB_MAX_RUNS = 3
JOB_SWEEP_SECONDS = 1.0
RECHECK_LEASE_SECONDS = env.float(
    "RECHECK_LEASE_SECONDS", default=60.0
)  # a chunk of lists takes about a second
RECHECK_RESEND_SECONDS = env.float("RECHECK_RESEND_SECONDS", default=30.0)  # many wait in the queue at once

IMPORT_LEASE_SECONDS = env.float(
    "IMPORT_LEASE_SECONDS", default=300.0
)  # a file of 200,000 rows, one transaction

# How many jobs of a lane may be in hand at once; a lane that is not named has as many as there are workers for it.
JOBS_AT_ONCE: dict[str, int]
LANES = (
    "sweeps",
    "matches",
    "disputes",
    "long",
    "rechecks",
    "files",
    "webhooks",
    "mail",
    "push",
)  # config.jobs.Lane
TURN_SECONDS = 1.0  # of a dispute; one that takes longer goes on in the lane for those
LONG_TURN_SECONDS = (
    8.0  # there, before it makes room for somebody who had fewer turns; twice as many each time
)
JOBS_AT_ONCE_PER_OWNER = 1  # in a lane, of one person, one webhook, one re-check
CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="filesystem://localhost")
EMBEDDED_BROKER = CELERY_BROKER_URL.startswith("filesystem")
if (
    EMBEDDED_BROKER
):  # one worker hears every bell (config.embedded gives it a thread for each of these, and one to sweep)
    LANES_SHARE_A_WORKER = True
    JOBS_AT_ONCE = {"matches": 2, "disputes": 2, "long": 1, "rechecks": 1, "files": 1, "webhooks": 4}
    JOBS_AT_ONCE |= {"mail": 2, "push": 4}
else:
    LANES_SHARE_A_WORKER = False
    JOBS_AT_ONCE = {"webhooks": 4, "mail": 2, "push": 4}
    # Each lane is a queue, so that processes can be reserved for it; a worker without `--queues` serves them all.
    CELERY_TASK_QUEUES = {lane: {"exchange": lane, "routing_key": lane} for lane in ("celery", *LANES)}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_PUBLISH_RETRY = False  # a doorbell that fails is rung again by the sweep
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = "UTC"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
SWEEP_REQUESTS_SECONDS = 600
SWEEP: dict[str, Any] = {} if EMBEDDED_BROKER else {"queue": "sweeps"}
CELERY_BEAT_SCHEDULE = {  # in seconds; config.celery says by which clock
    # A sweep that waited is of no use: the next one sees more.
    "sweep": {
        "task": "rules.sweep",
        "schedule": JOB_SWEEP_SECONDS,
        "options": SWEEP | {"expires": 10},
    },
    "sweep-requests": {
        "task": "config.sweep",
        "schedule": SWEEP_REQUESTS_SECONDS,
        "options": SWEEP | {"expires": 300},
    },
    "sweep-events": {"task": "tournament.sweep", "schedule": 5, "options": SWEEP | {"expires": 10}},
    "sweep-rechecks": {"task": "decks.sweep", "schedule": 5, "options": SWEEP | {"expires": 10}},
}
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"  # keeps nothing: a sweep too many is no harm
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any]
if EMBEDDED_BROKER:
    CELERY_BROKER_TRANSPORT_OPTIONS = {  # for config.file_broker, which makes the folders when needed
        "data_folder_in": str(VAR_DIR / "queue" / "messages"),
        "data_folder_out": str(VAR_DIR / "queue" / "messages"),
        "control_folder": str(VAR_DIR / "queue" / "control"),
        "polling_interval": 0.05,
    }
    CELERY_WORKER_PREFETCH_MULTIPLIER = 4  # throughput of a polled broker = prefetch / polling interval
else:
    # Longer than any job may run: a message is redelivered only when its worker is surely gone.
    CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 3600}
    CELERY_WORKER_PREFETCH_MULTIPLIER = 1

LIVE_MARK_SECONDS = 0.4  # how long a page that renews itself trusts that nothing was written
LIVE_QUIET_SECONDS = 300.0  # how long a poll may be answered without asking who asks

# --- limits (each stands here and nowhere else) -----------------------------------------------------

UPLOAD_MAX_BYTES = 1_000_000
EVENT_FILE_MAX_BYTES = 24_000_000  # 2,000 players with lists and eleven rounds
REQUEST_MAX_BYTES_AT = {"/events/read": 25_000_000, "/api/v1/event-files": 25_000_000}
REQUEST_MAX_BYTES = DATA_UPLOAD_MAX_MEMORY_SIZE = FILE_UPLOAD_MAX_MEMORY_SIZE = 1_500_000
# Of a request as it arrives, and of a response as it is read (config.edge).
BODY_SECONDS = 15.0  # for a body to arrive, and a second more for each BODY_BYTES_A_SECOND of it
BODY_BYTES_A_SECOND = 10_000
BODIES_MAX_BYTES = 250_000_000  # that are arriving, of all bodies of a web process
RESPONSE_SECONDS = 30.0  # for the next 64 kB of a long response to be read
WEB_THREADS = env.int("WEB_THREADS", default=4)  # of each web process
SCENARIO_MAX_BYTES = 400_000
ADJUDICATION_BUDGET = env.int(
    "ADJUDICATION_BUDGET", default=200_000
)  # positions, in a worker; events may differ
ADJUDICATION_BUDGET_MOST = 2_000_000  # that an event may ask for
ADJUDICATION_SECONDS = env.float("ADJUDICATION_SECONDS", default=300.0)  # of one run
ADJUDICATION_MEMORY_MB = env.int("ADJUDICATION_MEMORY_MB", default=1_000)  # that a run may add to its process
ADJUDICATION_INLINE_BUDGET = 5_000  # positions, while somebody waits for the response
ADJUDICATION_INLINE_SECONDS = 5.0
READY_MAX_QUEUE_SECONDS = env.float("READY_MAX_QUEUE_SECONDS", default=30.0)

# Letters: to confirm an address, and links to log in with. Without a server nothing is offered that needs one.
vars().update(env.email_url("EMAIL_URL", default="dummymail://"))
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="headjudge@localhost")
EMAIL_TIMEOUT = 10  # seconds

# How often (times, seconds); config.limits counts. A venue is one address: what is counted by address is generous.
LIMITS = {
    "write": (300, 60),  # changes, by pages or the API, per person
    "sent": (150_000, 86_400),  # kilobytes of the larger ones among them: six event files a day
    "adjudicate": (60, 60),
    "adjudicate-anonymous": (20, 60),  # per address
    "validate": (120, 60),
    "validate-anonymous": (60, 60),
    "sign-up": (300, 3600),
    "invite": (200, 3600),  # people asked by name to be event staff, per person who asks
    "login": (10, 900),  # wrong passwords for one name from one address
    "login-name": (100, 3600),  # for one name from anywhere
    "login-address": (300, 600),  # for any name from one address
    "mail": (5, 3600),  # letters to one address
    "mail-address": (30, 3600),  # asked for from one network address
}
# What computes for seconds and anybody may ask for (config.costly): one at a time for each address without a login.
COSTLY = r"/api/v1/(adjudicate|card-text|play|validate|validate/over-time)|/decks/check"
PASSWORDS = (
    r"/login|/login/help|/sign-up|/account|/account/(erase|password)"  # where one may be checked or chosen
)
COSTLY_AT_ONCE = env.int("COSTLY_AT_ONCE", default=2)
COSTLY_WAIT_SECONDS = 3.0  # for a turn; then 429
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", default=1 if PRODUCTION else 0)
IDEMPOTENCY_HOURS = 24
IDEMPOTENCY_LEASE_SECONDS = (
    30.0  # longer than a request takes; as long waits who was cut off when its process died
)

# --- telling other programs (config.outbound, tournament.services.outside.webhooks) ------------------------------

WEBHOOK_HOSTS = env.list("WEBHOOK_HOSTS", default=[])
WEBHOOK_NETWORKS = env.list("WEBHOOK_NETWORKS", default=[])
WEBHOOK_LEASE_SECONDS = env.float("WEBHOOK_LEASE_SECONDS", default=60.0)  # longer than a try may take
# Seconds after each try that failed; then a message is given up.
WEBHOOK_WAITS = env.list("WEBHOOK_WAITS", cast=int, default=[10, 60, 300, 1_800, 7_200, 21_600])

# --- alerts of players (tournament.services.outside.alerts) ---------------------------------------------------------

WEB_PUSH_KEY = env.str("WEB_PUSH_KEY", default="")
WEB_PUSH_CONTACT = env.str("WEB_PUSH_CONTACT", default="")
WEB_PUSH_HOSTS = env.list(
    "WEB_PUSH_HOSTS",
    default=[
        "fcm.googleapis.com",
        "*.push.services.mozilla.com",
        "*.push.apple.com",
        "*.notify.windows.com",
    ],
)
ALERT_LEASE_SECONDS = env.float("ALERT_LEASE_SECONDS", default=60.0)  # longer than a try may take
ALERT_WAITS = env.list("ALERT_WAITS", cast=int, default=[5, 30, 120])  # seconds after each try that failed

# --- languages and time -----------------------------------------------------------------------------

LANGUAGE_CODE = "en"  # decides: every text is written in it, the others are translations of it
LANGUAGES = [("en", "English"), ("ko", "Korean")]  # what pages are in (docs/translating.md)
SPOKEN_LANGUAGES = global_settings.LANGUAGES  # what people may say they speak
USE_I18N = True
TIME_ZONE = env.str("TIME_ZONE", default="UTC")  # of times outside an event; an event's are its own
FORMAT_MODULE_PATH = "config.formats"
USE_TZ = True

# --- static files -----------------------------------------------------------------------------------

STATIC_URL = "static/"
STATIC_ROOT = env.str("STATIC_ROOT", default=str(VAR_DIR / "static"))
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
WHITENOISE_MANIFEST_STRICT = False

# --- API --------------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "tournament.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["config.parsers.BoundedJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "config.openapi.Schema",
    "DEFAULT_PAGINATION_CLASS": "config.pagination.Pages",
    "DEFAULT_THROTTLE_CLASSES": ["config.limits.Throttle"],
    "URL_FORMAT_OVERRIDE": None,  # ?format= is the deck format
    "EXCEPTION_HANDLER": "config.errors.api_exception_handler",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Headjudge",
    "DESCRIPTION": "Decklists, events, results, disputes and rulings.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "config.openapi.document_errors",
    ],
    "ENUM_NAME_OVERRIDES": {
        "AlertKind": "tournament.models.AlertAddress.Kind",
        "AdjudicationState": "rules.models.Adjudication.State",
        "EventState": "tournament.models.Event.State",
        "StaffRole": "tournament.models.Staff.Role",
        "InvitationState": "tournament.models.Invitation.State",
        "RegistrationState": "tournament.models.Registration.State",
        "RoundState": "tournament.models.Round.State",
        "PrecedentStatus": "rules.models.Ruling.PrecedentStatus",
        "EventSide": "rules.models.Ruling.EventSide",
        "GivenSide": ["floor", "final"],
        "RemarkKind": "tournament.models.Remark.Kind",
        "Outcome": "tournament.models.Report.Outcome",
        "HowOutcome": "tournament.models.Report.How",
        "ListVisibility": "tournament.models.Event.ListVisibility",
    },
    "ENFORCE_NON_BLANK_FIELDS": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "SERVE_INCLUDE_SCHEMA": False,
}

# --- security ---------------------------------------------------------------------------------------

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "config.errors.csrf_failure"
if PRODUCTION:
    SECURE_SSL_REDIRECT = env.bool("SECURE_SSL_REDIRECT", default=True)
    SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]  # asked from inside
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = env.int("SECURE_HSTS_SECONDS", default=31_536_000)
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True

METRICS_TOKEN = env.str("METRICS_TOKEN", default="")

# --- logs -------------------------------------------------------------------------------------------

SLOW_QUERY_MS = env.int("SLOW_QUERY_MS", default=100 if DEBUG else 0)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"ids": {"()": "config.logs.Ids"}},
    "formatters": {
        "line": {"format": "%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s"},
        "json": {"()": "config.logs.JSONLines"},
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": env.str("LOG_FORMAT", default="line"),
            "filters": ["ids"],
        }
    },
    "root": {"handlers": ["stderr"], "level": env.str("LOG_LEVEL", default="INFO")},
    # A line for each sweep, every second, says nothing; rules.tasks tells what was answered.
    "loggers": {
        name: {"level": "WARNING"} for name in ("celery.app.trace", "celery.worker.strategy", "celery.beat")
    },
}
