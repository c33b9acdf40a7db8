"""`make audit`: the pinned packages of requirements.txt, looked up among the known vulnerabilities of PyPI (pip-audit).

Fails when one is known; where the index cannot be asked it says so and does not fail, because nothing was learned.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

REQUIREMENTS = Path(__file__).resolve().parents[1] / "requirements.txt"
SECONDS = 120


def main() -> int:
    asked = [
        sys.executable,
        "-m",
        "pip_audit",
        "--requirement",
        str(REQUIREMENTS),
        "--no-deps",
        "--disable-pip",
    ]
    told = ["--format", "json", "--timeout", "5", "--progress-spinner", "off"]
    try:
        done = subprocess.run([*asked, *told], capture_output=True, text=True, timeout=SECONDS)
        found: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except subprocess.TimeoutExpired:
        return _not_asked("the index did not answer in time")
    except (ValueError, KeyError):
        return _not_asked(
            done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "pip-audit said nothing"
        )
    return verdict(found)


def verdict(found: list[dict[str, Any]]) -> int:
    """0 or 1, and the words for it. pip-audit itself ends well when it could look nothing up."""
    known = [(one["name"], one["version"], fault) for one in found for fault in one.get("vulns", ())]
    unasked = [one["name"] for one in found if "skip_reason" in one]
    for name, version, fault in known:
        print(
            f"audit: {name} {version}: {fault['id']}, mended in {', '.join(fault['fix_versions']) or 'no version'}"
        )
    if len(unasked) == len(found):
        return _not_asked("the index of vulnerabilities cannot be reached from here")
    if unasked:
        print(f"audit: NOT looked up: {', '.join(unasked)}")
    print(f"audit: {len(found) - len(unasked)} packages looked up, {len(known)} known vulnerabilities")
    return 1 if known else 0


def _not_asked(why: str) -> int:
    print(f"audit: NOT DONE, nothing was looked up: {why}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
