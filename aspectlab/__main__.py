"""Run the command line with `python -m aspectlab`."""

from aspectlab.cli import main

main()
