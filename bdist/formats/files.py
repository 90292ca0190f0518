"""Text from files that strangers wrote: whatever is in them, the answer is text or one clear refusal."""

from __future__ import annotations

from pathlib import Path

from bdist.errors import FormatError


def read_text(path: str | Path, encoding: str = "utf-8-sig") -> str:
    """A file's text as UTF-8. Raises: FormatError where it cannot be read or decoded."""
    try:
        # newline="" keeps carriage returns, so that a reader counts columns in the file as it is
        with Path(path).open(encoding=encoding, newline="") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8 text (byte {error.start})", source=path) from None
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", source=path) from None
