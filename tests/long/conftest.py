"""The long tests share the night of tests/night."""

from tests.night.conftest import night

__all__ = ["night"]
