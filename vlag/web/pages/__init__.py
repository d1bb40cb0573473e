"""Pages that compare kernels: overview, branch, comparison, chosen pair, latency, matrix."""

# Each module adds its pages to the blueprint.
from vlag.web.pages import across, branch, choose, compare, matrix, overview
from vlag.web.pages.blueprint import pages

__all__ = ["across", "branch", "choose", "compare", "matrix", "overview", "pages"]
