"""`python -m sparse_coverage` is the command `sparse-coverage`."""

from sparse_coverage.cli import main

main()
