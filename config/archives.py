"""Zip archives that people give us: read where they stand, never unpacked to the disk, so no name of a member leads
anywhere; and within bounds, whatever they say of themselves.
"""

import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

# What zipfile raises for what is no archive, or a damaged one.
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    ValueError,
    OverflowError,
)
# zipfile unpacks these piece by piece; of the other ways a few bytes become gigabytes at one go.
_WAYS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_PIECE = 1_000_000  # bytes
_ENCRYPTED = 0x1


class BadArchive(Exception):
    """It cannot be read. member: its part that is at fault, "" for the whole; why: the end of a sentence about it."""

    def __init__(self, member: str, why: str) -> None:
        super().__init__(f"{member}: {why}")
        self.member, self.why = member, why


class TooLarge(BadArchive):
    """It holds more than it may."""


def archive(file: Path | BinaryIO) -> zipfile.ZipFile:
    """To be closed. Raises BadArchive, OSError."""
    with _whole():
        return zipfile.ZipFile(file)


@contextmanager
def _whole() -> Iterator[None]:
    try:
        yield
    except _DAMAGED as error:
        raise BadArchive("", "is not a complete zip archive") from error


def members(opened: zipfile.ZipFile, most: int) -> list[zipfile.ZipInfo]:
    """Its files. most: how many. Raises BadArchive: a name twice, a link, packed or locked in a way we do not read."""
    found: dict[str, zipfile.ZipInfo] = {}
    for one in opened.infolist():
        if one.is_dir():
            continue
        if one.filename in found:
            raise BadArchive(one.filename, "stands in it twice")
        if stat.S_ISLNK(one.external_attr >> 16):
            raise BadArchive(one.filename, "is a link to another file")
        if one.flag_bits & _ENCRYPTED:
            raise BadArchive(one.filename, "is locked with a password")
        if one.compress_type not in _WAYS:
            raise BadArchive(
                one.filename, "is packed in a way that we don’t read: use the usual one (deflate)"
            )
        found[one.filename] = one
        if len(found) > most:
            raise TooLarge("", f"has more than {most:,} files")
    return list(found.values())


def content(opened: zipfile.ZipFile, member: zipfile.ZipInfo, most: int) -> bytes:
    """The whole of a member. most: bytes. Raises BadArchive, TooLarge."""
    parts: list[bytes] = []
    size = 0
    with _whole(), opened.open(member) as file:
        while part := file.read(_PIECE):
            size += len(part)
            if size > most:
                raise TooLarge(member.filename, f"is larger than {most:,} bytes")
            parts.append(part)
    if size != member.file_size:
        raise BadArchive(member.filename, "is shorter than the archive says")
    return b"".join(parts)
