"""The labels of an explicit model: PRISM's ``.lab`` files, and Storm's of the same suffix.

    0="init" 1="deadlock" 2="end" 3="six"          #DECLARATION
    0: 0                                           end six
    12: 2 3                                        #END
                                                   12 end six

A state that is not listed has no label. Where the first line declares nothing and is about a state already,
labels go by their numbers (or by whatever stands there), except that 0 and 1 are ``init`` and ``deadlock``,
which is how PRISM always numbers these two. Names come back as the file spells them; what they mean, and what
becomes of a set of them, is for `propositions` to say.
"""

from __future__ import annotations

import re

from bdist.text.scanner import Place, shortened, words_of

_NUMBER = re.compile(r"[0-9]{1,15}")
_STATE_LINE = re.compile(r"[ \t]*[0-9]{1,15}[ \t]*:")
_NUMBERED = (("0", "init"), ("1", "deadlock"))
_DECLARED = re.compile(r'[ \t]*([0-9]{1,15})="([^"]+)"')

Labelling = tuple[list[set[str]], set[str]]


def read_labels(text: str, count: int, place: Place) -> Labelling:
    """The labels of each of ``count`` states as they are spelled, and all that are declared.

    Raises: FormatError with the line.
    """
    lines = text.split("\n")
    start = next((k for k, line in enumerate(lines) if _is_content(line)), None)
    if start is None:
        place.refuse("the file is empty; it must begin by declaring its labels")
    if words_of(lines[start])[0] == "#DECLARATION":
        return _read_storm_labels(lines, start, count, place)
    is_bare = _STATE_LINE.match(lines[start]) is not None
    names = dict(_NUMBERED) if is_bare else _declared(lines[start].rstrip("\r"), start + 1, place)
    found: list[set[str]] = [set() for _ in range(count)]
    listed: set[int] = set()
    first = start if is_bare else start + 1
    for number, line in enumerate(lines[first:], first + 1):
        if not _is_content(line):
            continue
        state, colon, rest = line.partition(":")
        if not colon:
            place.refuse(f"expected: state: label label; found '{shortened(line.strip())}'", number)
        index = _state_number(state.strip(), count, listed, number, place)
        for word in words_of(rest):
            name = names.setdefault(word, word) if is_bare else names.get(word)
            if name is None:
                place.refuse(f"label {shortened(word)} of state {index} is not declared", number)
            found[index].add(name)
    return found, set(names.values())


def _declared(line: str, number: int, place: Place) -> dict[str, str]:
    names: dict[str, str] = {}
    seen: set[str] = set()
    position, end = 0, len(line.rstrip())
    while position < end:
        match = _DECLARED.match(line, position)
        if match is None:
            found = shortened(line[position : position + 80].strip())
            place.refuse(
                f'expected labels to be declared as in 0="init" 2="heads"; found \'{found}\'', number
            )
        if match[1] in names or match[2] in seen:
            place.refuse(f'label {match[1]}="{shortened(match[2])}" is declared twice', number)
        names[match[1]] = match[2]
        seen.add(match[2])
        position = match.end()
    return names


def _read_storm_labels(lines: list[str], start: int, count: int, place: Place) -> Labelling:
    known: set[str] = set()
    found: list[set[str]] = [set() for _ in range(count)]
    listed: set[int] = set()
    is_declaring = True
    for number, line in enumerate(lines[start:], start + 1):
        words = words_of(line)
        if not words or words[0] == "#DECLARATION":
            continue
        if words[0] == "#END":
            is_declaring = False
        elif is_declaring:
            known.update(words)
        else:
            index = _state_number(words[0], count, listed, number, place)
            for word in words[1:]:
                if word not in known:
                    place.refuse(f"label {shortened(word)} of state {index} is not declared", number)
                found[index].add(word)
    if is_declaring:
        place.refuse("the declaration of labels has no #END")
    return found, known


def _state_number(text: str, count: int, listed: set[int], line: int, place: Place) -> int:
    if not _NUMBER.fullmatch(text):
        place.refuse(f"'{shortened(text)}' is not the number of a state", line)
    index = int(text)
    if index >= count:
        place.refuse(f"state {index} is labelled, and there are {count} states", line)
    if index in listed:
        place.refuse(f"state {index} is labelled twice", line)
    listed.add(index)
    return index


def _is_content(line: str) -> bool:
    begin = line.strip()
    return bool(begin) and (not begin.startswith("#") or begin.startswith("#DECLARATION"))
