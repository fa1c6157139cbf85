"""`python -m elcano.cli` is `elcano`."""

import sys

from elcano.cli import main

sys.exit(main())
