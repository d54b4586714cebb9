"""pytest's own: the fixtures and hooks of backend.py."""

from backend import *
