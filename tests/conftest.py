"""pytest's own: the fixtures and hooks of harness.py."""

from harness import *
