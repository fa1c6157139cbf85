"""`python -m elcano` is `elcano`."""

import sys

from elcano.cli import main

if __name__ == "__main__":
    sys.exit(main())
