"""The project's settings, turned away from the person's own data and made quick.

Read by pytest only (pyproject.toml). Processes that system tests start read config.settings, as in real life.
"""

import atexit
import os
import shutil
import tempfile

# Each pytest process has a folder of its own; the variable must be set before config.settings is read.
# It is set for children too: whatever a test starts writes there unless the test says otherwise.
_folder = tempfile.mkdtemp(prefix="headjudge-test-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ["HEADJUDGE_VAR"] = _folder

# Playwright's synchronous face keeps an event loop running in the test's own thread.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"

from config.settings import *  # noqa: E402, F403
from config.settings import DATABASES, EMBEDDED_DATABASE, STORAGES, VAR_DIR  # noqa: E402

if EMBEDDED_DATABASE:
    # A file, not memory: threads and processes then meet the same locks as in the real service.
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / "test.sqlite3")}
    DATABASES["default"]["OPTIONS"]["init_command"] = "PRAGMA journal_mode=WAL;PRAGMA synchronous=OFF"

CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
(VAR_DIR / "static").mkdir()
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
LIVE_MARK_SECONDS = 0
