"""``python -m bdist``."""

from bdist.cli import main

main()
