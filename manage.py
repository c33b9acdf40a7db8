#!/usr/bin/env python
"""Django's command line: `manage.py up`, `demo`, `adjudicate`, `check_deck`, ..."""

import os
import sys


def main() -> None:
    if sys.version_info < (3, 11):
        sys.exit("Headjudge needs Python 3.11 or newer; this is %d.%d." % sys.version_info[:2])
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
