"""The web server's entry."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()

# What start-up made stays for good. Left to itself the collector goes through all of it again in the middle of every
# few long pages, which takes longer than the page.
gc.collect()
gc.freeze()
gc.set_threshold(20_000, 20, 20)
