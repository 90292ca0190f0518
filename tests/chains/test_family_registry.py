"""The registry: every family by name, values as a user types them, and refusals that say what there is."""

from __future__ import annotations

import inspect
from fractions import Fraction

import pytest

from bdist.chains.families import FAMILIES, dining_cryptographers, make_family
from bdist.chains.formats import lmc
from bdist.errors import ParameterError
from bdist.family import ChoiceParameter, IntegerParameter, RationalParameter, Value


def test_order_and_names() -> None:
    assert list(FAMILIES) == [
        "figure-one",
        "dining-cryptographers",
        "survey",
        "double-survey",
        "randomised-response",
        "geometric",
        "subsampling-majority",
        "random",
        "layered",
        "lemma-three-erratum",
        "not-monotone",
        "outside-states",
    ]
    assert all(name == family.name for name, family in FAMILIES.items())


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_makes_its_default_and_the_format_keeps_it(name: str) -> None:
    chain = make_family(name)
    assert lmc.read(lmc.write(chain)) == chain
    assert '"' not in lmc.write(chain)  # names need no quotes


@pytest.mark.parametrize("name", FAMILIES)
def test_registered_parameters_are_those_of_the_generator(name: str) -> None:
    family = FAMILIES[name]
    signature = inspect.signature(family.generator)
    assert {p.name: p.default for p in signature.parameters.values()} == dict(family.defaults)
    for parameter in family.parameters:
        assert parameter.read(parameter.default) == parameter.default
        assert parameter.read(str(parameter.default)) == parameter.default
        assert "\n" not in parameter.help
    assert "\n" not in family.summary


def test_values_as_typed() -> None:
    made = make_family("dining-cryptographers", {"diners": "3", "bias": "0.25", "presentation": "stepwise"})
    assert made == dining_cryptographers(3, Fraction(1, 4), "stepwise")
    assert made == make_family(
        "dining-cryptographers", {"diners": 3, "bias": Fraction(1, 4), "presentation": "stepwise"}
    )


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        (
            "dinning",
            {},
            r"there is no family of chains 'dinning'; did you mean dining-cryptographers\? there are figure-",
        ),
        ("zzz", {}, r"there is no family of chains 'zzz'; there are figure-one, dining"),
        (
            "geometric",
            {"rato": "1/2"},
            r"no parameter 'rato'; did you mean ratio\? there are largest, ratio$",
        ),
        ("geometric", {"self": "1"}, r"family geometric has no parameter 'self'"),
        ("figure-one", {"n": 1}, r"family figure-one has no parameter 'n'; there are none"),
        ("geometric", {"ratio": "1"}, "parameter ratio is 1; it must be strictly between 0 and 1"),
        ("geometric", {"ratio": "half"}, "parameter ratio: 'half' is not a number"),
        ("geometric", {"ratio": "1/0"}, "parameter ratio: '1/0' has denominator zero"),
        ("geometric", {"largest": "2.5"}, "parameter largest is '2.5'; it must be an integer from 1 to 200"),
        ("geometric", {"largest": "9" * 5000}, r"parameter largest is 9{37}\.\.\.; it must be an integer"),
        ("geometric", {"largest": Fraction(2)}, "parameter largest is the Fraction 2; it must be an integer"),
        ("geometric", {"largest": True}, "parameter largest is the bool True; it must be an integer"),
        ("dining-cryptographers", {"presentation": "fast"}, "is 'fast'; it must be merged or stepwise"),
        ("dining-cryptographers", {"presentation": 3}, "is the int 3; it must be merged or stepwise"),
        ("random", {"degree": "5", "denominator": "4"}, "degree is 5; it must be at most denominator"),
    ],
)
def test_refusals_say_what_there_is(name: str, values: dict[str, Value], message: str) -> None:
    with pytest.raises(ParameterError, match=message) as caught:
        make_family(name, values)
    assert "\n" not in str(caught.value)


def test_a_float_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"parameter ratio is the float 0\.5"):
        FAMILIES["geometric"].make(ratio=0.5)  # type: ignore[arg-type]


def test_kinds_and_ranges_can_be_shown() -> None:
    described = {p.name: (p.kind, p.range) for f in FAMILIES.values() for p in f.parameters}
    assert described["diners"] == ("integer", "an integer from 2 to 100")
    assert described["bias"] == ("rational", "strictly between 0 and 1")
    assert described["shape"] == ("choice", "general or acyclic")


def test_text_may_carry_blanks_and_a_sign() -> None:
    assert IntegerParameter("n", 1, "", least=-9, most=9).read(" +3 ") == 3
    assert RationalParameter("r", Fraction(1, 2), "").read(" 1/4 ") == Fraction(1, 4)
    assert ChoiceParameter("c", "a", "", choices=("a", "b")).read(" b ") == "b"
