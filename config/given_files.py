"""Files and folders that a person names on the command line, whatever they turn out to be: a pipe that nobody writes
to, a device without an end, a link out of the folder, a name that is no text.
"""

import errno
import os
import stat
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from config.errors import UserError

_MOST_SHOWN = 200  # characters of a name
# Categories of Unicode: what ends a line, moves the cursor, turns the direction of writing, or is no character.
_UNSHOWN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_GOOD_NAME = "Give the name of a file, or - and its content on standard input."


def shown(name: str | Path) -> str:
    """The name in one line that a terminal can print."""
    text = os.fspath(name).encode(errors="surrogateescape").decode(errors="backslashreplace")
    line = "".join(one if unicodedata.category(one) not in _UNSHOWN else ascii(one)[1:-1] for one in text)
    half = _MOST_SHOWN // 2
    return line if len(line) <= _MOST_SHOWN else f"{line[:half]}…{line[-half:]}"


def opened(name: str | Path, *, remedy: str = _GOOD_NAME) -> BinaryIO:
    """An ordinary file, opened without waiting for anybody; to be closed. Raises UserError `no-file`."""
    try:
        file = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "no such file"
        raise _no_file(name, why, remedy) from error
    mode = os.fstat(file).st_mode
    if not stat.S_ISREG(mode):
        os.close(file)
        raise _no_file(name, _what(mode), remedy)
    return os.fdopen(file, "rb")


def content(name: str | Path, most: int, *, remedy: str = _GOOD_NAME) -> bytes:
    """The whole file; `-`: standard input. most: bytes. Raises UserError `no-file`, `too-large`."""
    if name == "-":
        data = sys.stdin.buffer.read(most + 1)
        size = len(data)
    else:
        with opened(name, remedy=remedy) as file:
            size = os.fstat(file.fileno()).st_size
            data = file.read(most + 1) if size <= most else b""
            size = max(size, len(data))
    if size > most:
        what = "Standard input" if name == "-" else f"“{shown(name)}”"
        message = f"{what} is larger than {most:,} bytes."
        raise UserError("too-large", message, remedy="Check that this is the right file.", status=413)
    return data


def is_folder(name: str | Path) -> bool:
    """Whether it is one, or a link to one; not for what can't be asked."""
    try:
        return Path(name).is_dir()
    except (OSError, ValueError):  # no such file
        return False


def files_in(folder: str | Path, most: int) -> Iterator[tuple[Path, UserError | None]]:
    """Its files and those of its folders, in no order, each with why it must not be read; hidden ones are left out.

    A link to a file of the folder is that file; one to a folder inside is nothing, since its files come anyway.
    A folder that can't be read comes like a file. most: files and folders.
    Raises UserError `too-many-files`.
    """
    top = os.path.realpath(folder)
    seen = 0
    waiting = [Path(folder)]
    while waiting:
        inside = waiting.pop()
        try:
            with os.scandir(inside) as entries:
                names = []
                for entry in entries:
                    seen += 1
                    if seen > most:
                        raise _too_many(folder, most)
                    if not entry.name.startswith("."):
                        names.append(inside / entry.name)
        except OSError as error:
            yield inside, _no_file(inside, error.strerror or "", "Give smaller folders that you may read.")
            continue
        for path in names:
            mode, why = _found(path, top)
            if why:
                yield path, _no_file(path, why, "Take it out, or put the file itself there.")
            elif stat.S_ISREG(mode):
                yield path, None
            elif not path.is_symlink():
                waiting.append(path)


def _found(path: Path, top: str) -> tuple[int, str]:
    """(the mode of a file or folder, or of what a link leads to; why it must not be read)"""
    try:
        if path.is_symlink() and os.path.commonpath([os.path.realpath(path), top]) != top:
            return 0, "it is a link out of the folder"
        mode = path.stat().st_mode
    except FileNotFoundError:
        return 0, "it is a link that leads nowhere"
    except OSError as error:
        return 0, "it is a link that leads nowhere" if error.errno == errno.ELOOP else error.strerror or ""
    return mode, "" if stat.S_ISDIR(mode) or stat.S_ISREG(mode) else _what(mode)


def _what(mode: int) -> str:
    kinds = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    return f"it is {next((said for holds, said in kinds if holds(mode)), 'a device')}, not a file"


def _no_file(name: str | Path, why: str, remedy: str) -> UserError:
    return UserError("no-file", f"“{shown(name)}” can’t be opened: {why}.", remedy=remedy)


def _too_many(folder: str | Path, most: int) -> UserError:
    return UserError(
        "too-many-files",
        f"{shown(folder)} has more than {most:,} files and folders.",
        remedy="Give smaller folders, one after the other.",
    )
