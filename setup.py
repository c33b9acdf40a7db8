"""The wheel: the four packages with all their data, and the command `headjudge` (pyproject.toml has the rest).

What it needs is the upper part of requirements.txt, so that there is one list of versions.
"""

from pathlib import Path

from setuptools import setup  # type: ignore[import-untyped]

listed = Path(__file__).with_name("requirements.txt").read_text().partition("# Tests and checks")[0]
setup(install_requires=[line for line in listed.splitlines() if line and not line.startswith("#")])
