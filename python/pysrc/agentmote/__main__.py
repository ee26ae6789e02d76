"""``python -m agentmote``."""

import sys

from agentmote._cli import main

sys.exit(main())
