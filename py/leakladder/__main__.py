"""host - `python -m leakladder` is the command line."""

from leakladder.cli import main

if __name__ == "__main__":
    main()
