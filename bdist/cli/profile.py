"""``bdist profile``: the true delta of two states for every epsilon at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import ReadOptions, load
from bdist.cli.models import Model, reads_model
from bdist.cli.terminal import (
    CertificateOut,
    FirstState,
    Json,
    SecondState,
    check_plot,
    check_writable,
    columns,
    csv_text,
    flag,
    interruptible,
    option,
    print_report,
    write_certificate,
)
from bdist.distances.compute import Skew
from bdist.errors import ParameterError
from bdist.exact.epsilon import log_down, log_text
from bdist.exact.rationals import (
    as_rational,
    counted,
    decimal_cut,
    decimal_down,
    decimal_up,
    exact_text,
    rational_text,
)
from bdist.printing import named
from bdist.queries import ProfileQuery
from bdist.report import LIMIT_REACHED, Report
from bdist.results import Bracket, Evidence
from bdist.text.files import write_text
from bdist.traces.answers import (
    EpsilonBracket,
    Point,
    compute_epsilon,
    is_narrow,
    largest_gap,
    narrow_points,
    points_of,
    worse_stretches,
)
from bdist.traces.compute import DEFAULT_BELIEFS, PROFILE_WIDTH
from bdist.traces.profile import BOTH_ORDERS, Enclosure, LeastEpsilon, Order, Profile, RenyiDivergence
from bdist.traces.wording import (
    MOST_ROWS,
    epsilon_text,
    formula_text,
    least_text,
    order_texts,
    shortened_rows,
    title_text,
    told_orders,
    worse_text,
)

NAME = "profile"
HELP = "The true delta of two states for every epsilon at once, as an exact function, with its proof."
EXAMPLE = (
    "Example: bdist profile instances/geometric/four-counts.lmc count0 count2 --at 'ln 2' --delta 1/10 "
    "--html profile.html"
)

Found = TypeVar("Found", bound=Enclosure)

_DIGITS, _CSV_DIGITS = 7, 17
_MOST_OTHERS = 7
_OPEN_ROWS = 6


@dataclass(frozen=True)
class _Asked:
    """What is to be said of every profile."""

    query: ProfileQuery
    skews: tuple[Skew, ...]
    deltas: tuple[Fraction, ...]
    orders: tuple[Fraction, ...]
    zcdp: bool
    times: int


@dataclass(frozen=True)
class _Answer:
    """A profile, what its pair is called beside others, and what was asked about it.

    ``single`` is of one run, with the certificate, and ``closer`` the one that was made for the points.
    """

    title: str
    model: str
    asked: _Asked
    single: Profile
    profile: Profile
    points: tuple[Point, ...]
    closer: Profile | None
    least: list[EpsilonBracket]
    renyi: list[RenyiDivergence]
    zcdp: Enclosure | None
    stopped: str | None

    @property
    def names(self) -> dict[Order, str]:
        """What the two orders are called."""
        return order_texts([named(state) for state in self.single.pair])

    @property
    def limit(self) -> str | None:
        """Why what was asked is not known as closely as it should be; None where it is."""
        profile, width = self.profile, self.asked.query.width
        if profile.evidence is Evidence.UNCHECKED:
            return profile.limit or "the proof is not checked"
        wide = any(point.worse.width > width for point in self.points)
        wide |= any(found.limit is not None for found in self.least)
        if not self.points and not self.least:
            wide |= not is_narrow(profile, width)
        return (self.stopped or profile.limit or "the sides are too far apart") if wide else None


@reads_model
def command(
    model: Model,
    s: FirstState,
    t: SecondState,
    at: list[str] | None = option(
        "E",
        "An epsilon to give delta at: p/q, a decimal, or 'ln q' (exact); may be repeated.",
        "--at",
        "--epsilon",
    ),
    alpha: list[str] | None = option(
        "A", "The same by alpha = e^epsilon, at least 1: p/q or a decimal; may be repeated."
    ),
    delta: list[str] | None = option("Q", "A delta to give the least epsilon for; may be repeated."),
    renyi: list[str] | None = option("A", "The Renyi divergence of this order, at least 1; may be repeated."),
    zcdp: bool = flag("--zcdp", "The least rho of zero-concentrated privacy."),
    compose: int = option("K", "The profile of K independent runs instead of one.", min=1, default=1),
    others: list[str] | None = option(
        "[FILE:]S:T",
        "Another pair, of this file or another, in the same answer and picture; may be repeated.",
        "--and",
    ),
    width: str = option(
        "Q",
        "The largest gap between lower and upper bounds, where it is not exact.",
        default=decimal_down(PROFILE_WIDTH),
    ),
    max_beliefs: int = option("N", "How many beliefs to look at, at most.", min=1, default=DEFAULT_BELIEFS),
    plot: Path | None = option("OUT", "Draw delta against epsilon: a .png or .svg file."),
    log: bool = flag("--log", "With --plot: a logarithmic axis for delta."),
    csv: Path | None = option("OUT", "Write all pieces there, as CSV."),
    html: Path | None = option("OUT", "Write a page to explore it with a slider, one file."),
    certificate: CertificateOut = None,
    json: Json = False,
) -> None:
    """Read the arguments, compute, write the files, print."""
    asked = _Asked(
        ProfileQuery((), as_rational(width, "--width"), max_beliefs),
        (*(Skew.of(None, text) for text in at or []), *(Skew.of(text, None) for text in alpha or [])),
        tuple(_probability(text) for text in delta or []),
        tuple(_order(text) for text in renyi or []),
        zcdp,
        compose,
    )
    _check_files(plot, log, certificate, others or [])
    for out in (csv, html, certificate):
        check_writable(out, model.path)
    pairs = _pairs(model, (s, t), others or [])
    with interruptible() as budget:
        answers = [_answer(chain, pair, title, asked, budget) for chain, pair, title in pairs]
    _write_files(answers, plot, log, csv, html)
    write_certificate(certificate, answers[0].single.certificate)
    if certificate is not None and answers[0].closer is not None:
        write_certificate(_beside(certificate), answers[0].closer.certificate)
    print_report(_report(answers, certificate), json)


def _probability(text: str) -> Fraction:
    value = as_rational(text, "--delta")
    if not 0 <= value <= 1:
        raise ParameterError(f"delta = {rational_text(value)} is not a probability; it must be from 0 to 1")
    return value


def _order(text: str) -> Fraction:
    value = as_rational(text, "--renyi")
    if value < 1:
        raise ParameterError(f"--renyi {text}: the order of a Renyi divergence is at least 1, such as 2")
    return value


def _check_files(plot: Path | None, log: bool, certificate: Path | None, others: Sequence[str]) -> None:
    """Raises: ParameterError where an option would be ignored."""
    check_plot(plot, log)
    if certificate is not None and others:
        raise ParameterError("--certificate is for one pair; leave out --and, or ask for each pair alone")
    if len(others) > _MOST_OTHERS:
        raise ParameterError(f"--and is given {len(others)} times; a picture has room for {_MOST_OTHERS}")


def _pairs(
    model: Model, pair: tuple[str, str], others: Sequence[str]
) -> list[tuple[LabelledMarkovChain, tuple[str, str], str]]:
    """The pairs that are asked about, each with its chain, which is read once, and its title.

    Raises: ParameterError, FormatError.
    """
    wanted: list[tuple[Path, tuple[str, str]]] = [(model.path, pair)]
    for text in others:
        parts = text.rsplit(":", 2)
        if len(parts) < 2 or not all(parts):
            raise ParameterError(f"--and '{text}' must be S:T or FILE:S:T")
        path = model.path if len(parts) == 2 else Path(parts[0])
        wanted.append((path, (parts[-2], parts[-1])))
    chains: dict[Path, LabelledMarkovChain] = {}
    several = len({path for path, _ in wanted}) > 1
    found = []
    for path, states in wanted:
        if path not in chains:
            own = path == model.path
            chains[path] = model.load() if own else load(path, ReadOptions())
        chain = chains[path]
        for state in states:
            chain.index(state)  # which says that there is no such state
        where = f" in {path.name}" if several else ""
        found.append((chain, states, f"{states[0]} and {states[1]}{where}"))
    return found


# --- the answer to one pair ---


def _answer(
    chain: LabelledMarkovChain, pair: tuple[str, str], title: str, asked: _Asked, budget: Budget
) -> _Answer:
    profile = single = asked.query.answer(chain, pair, budget)
    closer, times = None, asked.times
    if times == 1:
        points, closer = narrow_points(chain, profile, asked.skews, asked.query.settings(budget))
    else:
        profile = single.self_compose(times)
        points = points_of(profile, asked.skews)
    if times == 1 and profile.evidence is not Evidence.UNCHECKED:
        least = [compute_epsilon(chain, pair, d, budget=budget, known=profile) for d in asked.deltas]
    else:
        least = [EpsilonBracket.read(profile, wanted) for wanted in asked.deltas]
    # divergences add up over independent runs, and lose nothing
    renyi = [_times(single.renyi(order), times) for order in asked.orders]
    zcdp = _times(single.zcdp(), times) if asked.zcdp else None
    stopped = budget.exhausted()
    return _Answer(title, chain.name, asked, single, profile, points, closer, least, renyi, zcdp, stopped)


def _times(one: Found, times: int) -> Found:
    lower, upper = (
        None if end is None else replace(end, value=end.value * times) for end in (one.lower, one.upper)
    )
    found = replace(one, lower=lower, upper=upper)
    if isinstance(found, RenyiDivergence) and found.moment is not None:
        found = replace(found, moment=found.moment**times)
    return found


# --- files ---


def _beside(path: Path) -> Path:
    """Where the second certificate goes: out.json and out-points.json."""
    return path.with_name(f"{path.stem}-points{path.suffix}")


def _write_files(
    answers: Sequence[_Answer], plot: Path | None, log: bool, csv: Path | None, html: Path | None
) -> None:
    if csv is not None:
        write_text(csv, _csv(answers))
    if plot is not None:
        from bdist.traces.plot import write_plot  # only where it is asked for

        lines = [(answer.title, answer.profile) for answer in answers]
        write_plot(lines, plot, title=_title(answers), log_scale=log)
    if html is not None:
        from bdist.traces.page import ShownProfile, page_html

        exhibits = [ShownProfile(answer.title, answer.profile, answer.asked.times) for answer in answers]
        write_text(html, page_html(exhibits, title=_title(answers), asked=answers[0].asked.skews))


def _title(answers: Sequence[_Answer]) -> str:
    first = answers[0]
    runs = f", {first.asked.times} runs" if first.asked.times > 1 else ""
    if len(answers) > 1:
        return f"true δ of {len(answers)} pairs{runs}"
    return f"{title_text(first.single.pair, first.model)}{runs}"


def _csv(answers: Sequence[_Answer]) -> str:
    """A row a piece: delta = p - alpha q between two alphas; alphas, p and q are exact, epsilons cut."""
    names = "pair first second side from_alpha to_alpha from_epsilon to_epsilon p q"
    rows: list[Sequence[str]] = [names.split()]
    for answer in answers:
        pair, sides = answer.single.pair, ("exact",) if answer.profile.exact else ("lower", "upper")
        for k, side in enumerate(sides):
            for states, losses in zip((pair, pair[::-1]), answer.profile.sides(), strict=True):
                for piece in losses[k].pieces():
                    alphas, numbers = (piece.start, piece.end), (piece.p, piece.q)
                    ends = ("inf" if alpha is None else rational_text(alpha) for alpha in alphas)
                    epsilons = map(_csv_epsilon, alphas)
                    rows.append([answer.title, *states, side, *ends, *epsilons, *map(rational_text, numbers)])
    return csv_text(rows)


def _csv_epsilon(alpha: Fraction | None) -> str:
    return "inf" if alpha is None else decimal_down(log_down(alpha), _CSV_DIGITS)


# --- the report ---


def _report(answers: Sequence[_Answer], certificate: Path | None) -> Report:
    documents = [_document(answer) for answer in answers]
    document = documents[0]
    if len(documents) > 1:
        document["others"] = documents[1:]
    code = LIMIT_REACHED if any(answer.limit is not None for answer in answers) else 0
    lines = [line for answer in answers for line in _lines(answer, certificate)]
    return Report("\n".join(lines), document, code)


def _document(answer: _Answer) -> dict[str, object]:
    profile = answer.profile
    return {
        **profile.document(),
        "pair": list(answer.single.pair),
        "model": answer.model or None,
        "runs": answer.asked.times,
        "width": rational_text(largest_gap(profile)),
        "limit": answer.limit or profile.limit,
        "points": [point.document() for point in answer.points],
        "least_epsilon": [LeastEpsilon.document(found) | {"limit": found.limit} for found in answer.least],
        "renyi": [_renyi_document(found) for found in answer.renyi],
        "zcdp": None if answer.zcdp is None else _enclosure_document(answer.zcdp),
        "stats": dict(answer.single.stats),
    }


def _enclosure_document(found: Enclosure) -> dict[str, object]:
    return {
        "lower": "inf" if found.lower is None else decimal_down(found.lower.value, _CSV_DIGITS),
        "upper": "inf" if found.upper is None else decimal_up(found.upper.value, _CSV_DIGITS),
    }


def _renyi_document(found: RenyiDivergence) -> dict[str, object]:
    return {
        "order": rational_text(found.number),
        **_enclosure_document(found),
        "moment": None if found.moment is None else rational_text(found.moment),
    }


def _lines(answer: _Answer, certificate: Path | None) -> list[str]:
    profile = answer.profile
    lines = [_headline(answer)]
    lines += _exact_function(answer) if profile.exact else _open_function(answer)
    lines += _measures(answer)
    lines += [_point_line(point, answer.names) for point in answer.points]
    lines += [_least_line(found) for found in answer.least]
    lines += [_renyi_line(found) for found in answer.renyi]
    if answer.zcdp is not None:
        lines.append(f"  zCDP              rho = {_enclosure_text(answer.zcdp)}")
    lines += _proof_lines(answer, certificate)
    return lines


def _headline(answer: _Answer) -> str:
    profile = answer.profile
    runs = f", {answer.asked.times} independent runs" if answer.asked.times > 1 else ""
    first, second = map(named, answer.single.pair)
    name = f"privacy profile of {first} and {second}{runs}"
    if profile.evidence is Evidence.UNCHECKED:
        return f"{name}        not certified: {profile.limit}"
    certified = ", certified" if profile.evidence is Evidence.CERTIFIED else ""
    if profile.exact:
        return f"{name}        exact{certified}"
    kind = "certified" if certified else "proved"
    gap = decimal_up(largest_gap(profile), 3)
    return f"{name}        {kind} bracket, at most {gap} wide; {profile.limit}"


def _exact_function(answer: _Answer) -> list[str]:
    profile, names = answer.profile, answer.names
    orders = told_orders(profile)
    lines = []
    for order, loss in orders:
        both = f", and {names[Order.BACKWARD]}" if len(orders) == 1 else ""
        lines.append(f"  {names[order]}{both}")
        rows: list[tuple[str, ...]] = [("epsilon from", "to", "delta =")]
        for piece, left_out in shortened_rows(loss.pieces(), MOST_ROWS):
            if piece is None:
                rows.append((f"... {left_out} more, all in --json and --csv", "", ""))
                continue
            end = "on" if piece.end is None else epsilon_text(piece.end)
            rows.append((epsilon_text(piece.start), end, formula_text(piece)))
        lines += columns(rows, 4)
    lines.append(f"  worse             {worse_text(worse_stretches(profile), names)}")
    return lines


def _open_function(answer: _Answer) -> list[str]:
    """Some values from both sides, up to where the curve has come down."""
    from bdist.traces.plot import telling_epsilon_approx

    last = Fraction(decimal_up(Fraction(telling_epsilon_approx([answer.profile])), 2))
    places = [decimal_down(last * k / _OPEN_ROWS, 3) for k in range(_OPEN_ROWS + 1)]
    points = points_of(answer.profile, [Skew.of(None, place) for place in places])
    first, second = (answer.names[order] for order in BOTH_ORDERS)
    rows: list[tuple[str, ...]] = [
        ("epsilon", f"{first}: at least", "at most", f"{second}: at least", "at most")
    ]
    for place, point in zip(places, points, strict=True):
        rows.append((place, *_rounded(point.forward.delta), *_rounded(point.backward.delta)))
    return columns(rows, 4)


def _rounded(bracket: Bracket) -> tuple[str, str]:
    return decimal_down(bracket.lower.value, _DIGITS), decimal_up(bracket.upper.value, _DIGITS)


def _measures(answer: _Answer) -> list[str]:
    profile = answer.profile
    variation = profile.total_variation
    low, high = variation.lower.value, variation.upper.value
    if low == high:
        text = f"{exact_text(high)}; the best guess which of the two it was is right with probability "
        text += exact_text((1 + high) / 2)
    else:
        text = f"{decimal_down(low)} to {decimal_up(high)}; the best guess which of the two it was is right "
        text += f"with probability {decimal_down((1 + low) / 2)} to {decimal_up((1 + high) / 2)}"
    lines = [f"  total variation   {text}"]
    one, other = (profile.max_divergence(order) for order in BOTH_ORDERS)
    if (one.lower_alpha, one.upper_alpha) == (other.lower_alpha, other.upper_alpha):
        lines.append(f"  max divergence    {least_text(one)}, in both orders")
    else:
        first, second = (answer.names[order] for order in BOTH_ORDERS)
        lines.append(f"  max divergence    {first}: {least_text(one)}; {second}: {least_text(other)}")
    return lines


def _point_line(point: Point, names: dict[Order, str]) -> str:
    worse = point.worse
    value = exact_text(worse.upper.value) if worse.width == 0 else _ends_text(worse)
    one, other = (_ends_text(side.delta) for side in (point.forward, point.backward))
    orders = "in both orders"
    if one != other:
        orders = f"{names[Order.FORWARD]} {one}, {names[Order.BACKWARD]} {other}"
    return f"  delta             {value} at {_skew_text(point.skew)}; {orders}"


def _skew_text(skew: Skew) -> str:
    if skew.epsilon is None:
        return f"alpha {rational_text(skew.alpha)}"
    return f"epsilon {skew.epsilon}"


def _ends_text(bracket: Bracket) -> str:
    low, high = bracket.lower.value, bracket.upper.value
    return decimal_cut(high) if low == high else f"{decimal_down(low)} to {decimal_up(high)}"


def _least_line(found: EpsilonBracket) -> str:
    why = f"; {found.limit}" if found.limit else ""
    text = "there is none" if found.is_impossible else least_text(found)
    return f"  least epsilon     {text} for delta {rational_text(found.delta)}{why}"


def _renyi_line(found: RenyiDivergence) -> str:
    text = _enclosure_text(found)
    moment = found.moment
    if moment is not None and moment > 1 and len(rational_text(moment)) <= 2 * MOST_ROWS:
        divisor = found.number - 1
        form = f"ln({rational_text(moment)})" + ("" if divisor == 1 else f"/{divisor}")
        text = f"{form} = {log_text(moment)}" if divisor == 1 else f"{form} = {text}"
    return f"  Renyi             {text} of order {rational_text(found.number)}, in the worse order"


def _enclosure_text(found: Enclosure) -> str:
    return "infinite" if found.lower is None else found.text


def _proof_lines(answer: _Answer, certificate: Path | None) -> list[str]:
    single = answer.single
    stats = single.stats
    beliefs = counted(int(stats["beliefs"]), "belief")
    checked = (
        "not checked"
        if single.evidence is Evidence.UNCHECKED
        else f"checked in {stats['check_seconds']:.2g} s"
    )
    of_one = " of one run" if answer.asked.times > 1 else ""
    lines = [f"  proof             {beliefs}{of_one}, {checked}"]
    if certificate is not None and answer.closer is not None:
        lines.append(f"  points            proved by a certificate of their own, {_beside(certificate).name}")
    lines.append(f"  work              {stats['method']}, {stats['seconds']:.2g} s")
    return lines
