"""The long tests share the night of tests/night, and installations with stand-in stages."""

from tests.integration.conftest import checkout, installation
from tests.night.conftest import night

__all__ = ["checkout", "installation", "night"]
