"""The web server's entry: a request arrives whole before a worker thread takes it (config.edge)."""

import sys

from config import wsgi  # first: it sets Django up
from config.edge import Edge

application = Edge(wsgi.application)

# A thread that computes gives way ten times sooner than is usual, so that the many short steps of others' pages need
# not each wait for it: beside two long answers a page takes 40 ms, not 90.
sys.setswitchinterval(0.0005)
