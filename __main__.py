"""`python -m elcano` is `elcano`."""

import runpy

if __name__ == "__main__":
    runpy.run_module("elcano.cli", run_name="__main__", alter_sys=True)
