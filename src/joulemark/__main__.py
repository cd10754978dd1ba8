"""``python -m joulemark``: the command line."""

from joulemark.cli.__main__ import main

if __name__ == "__main__":
    main()
