"""Commands that need more than HTTP are programs of their own, which the command line turns into."""

import os
import sys
from typing import NoReturn


def replace_process(module: str, *arguments: str) -> NoReturn:
    """Turns this process into another program: signals reach it directly, and its exit code is ours.

    `-P`: no module of the folder that the user is in is taken for one of ours.
    """
    os.execv(sys.executable, [sys.executable, "-P", "-m", module, *arguments])
