"""`python -m neuralbo` is the command `neuralbo`."""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # where one stands: a file random.py there is not Python's random
    from neuralbo.cli import main

    sys.exit(main())
