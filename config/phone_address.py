"""Tells whether phones can open the address of the current page, and which address to open instead."""

import socket
from ipaddress import ip_address

from django.http import HttpRequest


def only_here(request: HttpRequest) -> bool:
    """Whether the address is this computer's own, such as 127.0.0.1, which means another device everywhere else."""
    host = request.get_host().rpartition(":")[0] or request.get_host()
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def in_the_hall(request: HttpRequest, path: str) -> str:
    """The same path at this computer's address in its network; "" where it is in none. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(
                ("192.0.2.1", 9)
            )  # an address that belongs to nobody: only the way there is looked up
            found = probe.getsockname()[0]
        except OSError:
            return ""
    if ip_address(found).is_loopback:
        return ""
    return f"{request.scheme}://{found}:{request.get_port()}{path}"
