"""Pages that compare kernels: overview, branch, comparison, latency, matrix."""

# Each module adds its pages to the blueprint.
from vlag.web.pages import branch, compare, matrix, overview
from vlag.web.pages.blueprint import pages

__all__ = ["branch", "compare", "matrix", "overview", "pages"]
