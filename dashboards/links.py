# SPDX-License-Identifier: GPL-2.0-only
"""Links of cells, points and panels."""

from __future__ import annotations

from attrs import frozen

from dashboards import names


@frozen(kw_only=True)
class Link:
    """A link of a cell or point; `${__data.fields.NAME}` is another column of its row."""

    title: str
    url: str

    def json(self) -> dict[str, object]:
        """Return the link in the format of field options."""
        return {"title": self.title, "url": self.url, "targetBlank": False}


def page(title: str, path: str) -> Link:
    """Return a link to a web page of vlag."""
    return Link(title=title, url=f"${{{names.WEB}}}{path}")


def to_compare(uid: str = names.COMPARE, title: str = "The two kernels") -> Link:
    """Return a link for rows with comparison, base_kernel, new_kernel and board_type."""
    return Link(
        title=title,
        url=(
            f"/d/{uid}?var-board=${{__data.fields.board_type:percentencode}}"
            "&var-new=${__data.fields.new_kernel}&var-base=${__data.fields.base_kernel}"
            "&var-comparison=${__data.fields.comparison}"
        ),
    )


def to_run(column: str = "run") -> Link:
    """Return the link to a run."""
    return Link(title="The run", url=f"/d/{names.RUN}?var-run=${{__data.fields.{column}}}")
