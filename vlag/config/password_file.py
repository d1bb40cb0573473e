# SPDX-License-Identifier: GPL-2.0-only
"""The password file: a line a person, NAME:HASH, as `htpasswd -B` writes it.

A hash is whatever the system's own crypt(3) knows and holds to be strong, so that any
tool that makes passwords for this system will do.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import hmac
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vlag.errors import UsageError, blame

#: bcrypt, yescrypt, SHA-512 and SHA-256; not what can be tried by the million a second.
_STRONG = ("$2y$", "$2b$", "$y$", "$6$", "$5$")
#: Bytes of struct crypt_data, which has held this size for all of its versions.
_CRYPT_DATA = 32768
#: Hashed with if the file has nobody.
_NOBODY = "$2b$05$CCCCCCCCCCCCCCCCCCCCC."
_UNREADABLE = (
    "{path}: cannot read the password file ({why}); `htpasswd -B -c {path} NAME` makes one,"
    " [people] password_file in the settings names it"
)
#: Nobody outside can tell which hash is computed for a name that is not in the file.
_SECRET = secrets.token_bytes(32)


def read(path: Path) -> dict[str, str]:
    """Return name -> hash.

    Raises UsageError with file and line for a file that cannot be read, and for a line that
    is none or holds a weak hash or a plain password.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as e:
        raise blame(e, _UNREADABLE.format(path=path, why=e.strerror)) from e
    except UnicodeDecodeError as e:
        raise UsageError(_UNREADABLE.format(path=path, why="it is not UTF-8")) from e
    passwords: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, colon, hashed = line.strip().partition(":")
        if not colon or not name:
            raise UsageError(f"{path}:{number}: write NAME:HASH, as `htpasswd -B` does")
        if not hashed.startswith(_STRONG):
            raise UsageError(
                f"{path}:{number}: the password of {name} is plain or weakly hashed; set it anew"
                f" with `htpasswd -B {path} {name}`"
            )
        if name in passwords:
            raise UsageError(f"{path}:{number}: {name} is there twice; remove one line")
        passwords[name] = hashed
    return passwords


def fits(people: Mapping[str, str], name: str, password: str) -> bool:
    """Return whether this is the person's password; it takes as long for an unknown one."""
    known = people.get(name)
    computed = _crypt(password, known or _somebody(people, name))
    return known is not None and computed is not None and hmac.compare_digest(computed, known)


def _somebody(people: Mapping[str, str], name: str) -> str:
    """Return the hash of a person, for an unknown name always the same person's."""
    if not people:
        return _NOBODY
    drawn = hmac.digest(_SECRET, name.encode(), "sha256")
    return sorted(people.values())[int.from_bytes(drawn) % len(people)]


def _crypt(password: str, setting: str) -> str | None:
    """Return the hash of a password by crypt_rn(3); None where it cannot be made."""
    if "\0" in password:
        return None
    crypt_rn = _crypt_rn()
    scratch = ctypes.create_string_buffer(_CRYPT_DATA)
    answer = crypt_rn(password.encode(), setting.encode(), scratch, _CRYPT_DATA)
    return answer.decode("ascii") if isinstance(answer, bytes) else None


@functools.cache
def _crypt_rn() -> Any:
    """Return the C function; looking for its library takes a while."""
    name = ctypes.util.find_library("crypt")
    if name is None:
        raise UsageError("the library libcrypt is missing; install the package libcrypt1")
    crypt_rn = ctypes.CDLL(name).crypt_rn
    crypt_rn.restype = ctypes.c_char_p
    crypt_rn.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int)
    return crypt_rn
