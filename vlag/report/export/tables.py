# SPDX-License-Identifier: GPL-2.0-only
"""Samples as a table in a file: CSV, or Parquet where pyarrow is installed."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TextIO

from vlag.errors import UsageError

#: Rows of a group of a Parquet file.
_GROUP = 50_000

Row = Mapping[str, Any]


def write_csv(rows: Iterable[Row], out: TextIO) -> int:
    """Write rows with a head line; return their number.  Floats keep all of their digits."""
    number = 0
    writer = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(out, row.keys(), lineterminator="\n")
            writer.writeheader()
        writer.writerow(row)
        number += 1
    return number


def write_parquet(rows: Iterable[Row], path: Path) -> int:
    """Write rows to a file; return their number.

    Raises UsageError if pyarrow is not installed, or if there is no row: without one the types
    of the columns are unknown.
    """
    try:
        import pyarrow  # noqa: PLC0415 - a tenth of a second, and optional
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError:
        raise UsageError(
            "Parquet needs pyarrow: `pip install pyarrow`, or take --format csv"
        ) from None
    number = 0
    writer = None
    groups = iter(rows)
    try:
        while group := list(itertools.islice(groups, _GROUP)):
            schema = None if writer is None else writer.schema
            table = pyarrow.Table.from_pylist(group, schema=schema)
            if writer is None:
                table = table.cast(_wide(table.schema))
                writer = pyarrow.parquet.ParquetWriter(path, table.schema)
            writer.write_table(table)
            number += len(group)
    finally:
        if writer is not None:
            writer.close()
    if writer is None:
        raise UsageError("no row to write: nothing on record is asked for")
    return number


def _wide(schema: Any) -> Any:
    """Return a schema whose columns without a value so far are text: later rows may have one."""
    import pyarrow  # noqa: PLC0415

    return pyarrow.schema(
        [f.with_type(pyarrow.string()) if pyarrow.types.is_null(f.type) else f for f in schema]
    )
