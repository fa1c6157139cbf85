"""`python -m cli` is `elcano`."""

import sys

from cli import main

sys.exit(main())
