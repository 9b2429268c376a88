"""Memory Workbench: see, search, correct and measure what AI agents remember about you."""

__version__ = "0.1.0"
