#!/usr/bin/env python
"""Headjudge's command line in a checkout: `manage.py up`, `demo`, `adjudicate`, `check_deck`, ..."""

import sys

if sys.version_info < (3, 11):
    sys.exit("Headjudge needs Python 3.11 or newer; this is %d.%d." % sys.version_info[:2])

from config.__main__ import main

if __name__ == "__main__":
    main()
