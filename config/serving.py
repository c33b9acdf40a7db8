"""The web server: one granian process per core, all on one port, independent of one another.

granian's own `--workers` would end every process when one dies twice in a few seconds; here config.supervisor starts
the dead one again and the others never notice. The system shares new connections out among those that listen.
"""

import resource
import sys

from config.supervisor import Child

CONNECTIONS = 5_000  # of one process at the same time; one that only waits costs some 30 kB
OTHER_FILES = 500  # that a process may have open beside them
HEAD_SECONDS = 15  # for a request's head to arrive, and for the next request on a connection
HEAD_BYTES = 16_384  # of a head; who reads them (Django, Python) takes time by the square of a line's length


def web_process(host: str, port: int) -> list[str]:
    """The command of one web process. It may listen where others of the kind already do."""
    options = (
        f"--interface asginl --http 1 --no-ws --host {host} --port {port} --workers 1 --backlog 1024"
        f" --backpressure {_connections()} --http1-header-read-timeout {HEAD_SECONDS * 1000}"
        f" --http1-buffer-size {HEAD_BYTES}"
        " --workers-kill-timeout 3 --log-level warning"
    )
    return [sys.executable, "-m", "granian", *options.split(), "config.asgi:application"]


def web_processes(host: str, port: int, number: int) -> list[Child]:
    return [Child(f"web process {one + 1}", web_process(host, port)) for one in range(number)]


def _connections() -> int:
    """As many as files may be open, which is raised as far as this account may; the database needs some, too."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + OTHER_FILES
    if soft < wanted and soft != resource.RLIM_INFINITY:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return CONNECTIONS if soft == resource.RLIM_INFINITY else max(100, min(CONNECTIONS, soft - OTHER_FILES))
