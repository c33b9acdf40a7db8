"""The web server's entry point. A worker thread gets a request only when its body has arrived (config.edge)."""

import sys

from config import wsgi  # first: it sets Django up
from config.edge import Edge

application = Edge(wsgi.application)

# A thread that computes gives way ten times sooner than is usual, so that the many short steps of others' pages need
# not each wait for it: beside two long answers a page takes 40 ms, not 90.
sys.setswitchinterval(0.0005)
