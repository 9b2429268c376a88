"""Memory Workbench: see, search, correct and measure what AI agents remember about you."""

import os

__version__ = "0.1.0"

# onnxruntime reports its use to its maker unless it is told not to before it is loaded; nothing leaves this machine.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
