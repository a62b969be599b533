"""Python client of Pit. It calls `pit serve`, the verifying client, on this machine."""

from .client import Pit
from .errors import PitRefusal
from .process import start

__all__ = ["Pit", "PitRefusal", "start"]
__version__ = "0.2.0"
