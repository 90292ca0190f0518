"use strict";
/* The slider and what follows it. Texts and bounds come from the data in the page; see document.py. */
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  root.classList.add("scripted");
  if (data.exhibits.length > 1) root.classList.add("several");

  const at = (name) => document.getElementById(name);
  const say = (name, text) => { at(name).textContent = text; };
  const slider = at("epsilon");
  const prior = at("prior");
  const choice = at("pair");
  let shown = 0;
  let order = "worse";
  let chips = [];

  /* Exact rationals [numerator, denominator] as BigInt, from decimals such as 0.25 and 2.5e-7. */
  const rational = (text) => {
    const [, whole, rest = "", power = "0"] = /^([0-9]+)(?:\.([0-9]+))?(?:e(-?[0-9]+))?$/.exec(text);
    const shift = Number(power) - rest.length;
    const digits = BigInt(whole + rest);
    return shift >= 0 ? [digits * 10n ** BigInt(shift), 1n] : [digits, 10n ** BigInt(-shift)];
  };
  const times = (a, b) => [a[0] * b[0], a[1] * b[1]];
  const plus = (a, b) => [a[0] * b[1] + b[0] * a[1], a[1] * b[1]];
  const rest = (a) => [a[1] - a[0], a[1]];
  const share = (a, b) => { /* a / (a + b) */
    const sum = plus(a, b);
    return sum[0] === 0n ? null : [a[0] * sum[1], a[1] * sum[0]];
  };
  const hundredths = (a, up) => { /* of a percent, rounded to one side */
    const scaled = a[0] * 10000n;
    return (scaled + (up ? a[1] - 1n : 0n)) / a[1];
  };
  const percent = (count) => `${count / 100n}.${String(count % 100n).padStart(2, "0")}\u202f%`;

  const exhibit = () => data.exhibits[shown];
  const position = () => exhibit().positions[Number(slider.value)];
  const names = () => exhibit().names;
  const fill = (name, share) => { at(name).style.width = `${100 * Math.min(1, Math.max(0, share))}%`; };

  const sideNow = () => (order === "worse" ? position()[4] : order === "forward" ? 0 : 1);

  const move = (node, attributes) => {
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value.toFixed(1));
  };

  const showFigures = (here, side, now) => {
    const [x0, x1, y0, y1] = data.delta[0];
    const x = x0 + (x1 - x0) * here[1];
    move(at("delta-mark"), { x1: x, x2: x });
    move(at("delta-lower"), { cx: x, cy: y0 + (y1 - y0) * now[2] });
    move(at("delta-upper"), { cx: x, cy: y0 + (y1 - y0) * now[3] });
    const [a0, a1, b0, b1] = data.square;
    const [right, wrong] = [Number(now[8][0]), Number(now[9][1])];
    move(at("test-dot"), { cx: a0 + (a1 - a0) * wrong, cy: b0 + (b1 - b0) * right });
    const slope = Math.exp(here[1]);
    const end = Math.min(1, (1 - now[2]) / slope);
    move(at("tangent"), {
      x1: a0, y1: b0 + (b1 - b0) * now[2],
      x2: a0 + (a1 - a0) * end, y2: b0 + (b1 - b0) * (now[2] + slope * end),
    });
    for (const group of document.querySelectorAll(".tradeoff")) {
      group.classList.toggle("away", group.id !== `tradeoff-${shown}-${side ? "backward" : "forward"}`);
    }
    for (const group of document.querySelectorAll(".ordered")) {
      group.classList.toggle("away", group.id !== `ordered-${shown}-${order}`);
    }
    document.querySelectorAll("g.line").forEach((line, number) => {
      line.classList.toggle("chosen", number === shown);
      line.classList.toggle("behind", number === shown && order !== "worse");
    });
  };

  const showTexts = (here, side, now) => {
    const [first, second] = side ? [names()[1], names()[0]] : names();
    say("epsilon-text", here[0]);
    say("alpha-text", `e\u1d4b = ${here[2]}`);
    slider.setAttribute("aria-valuetext", `epsilon ${here[0]}, delta ${now[0]}`);
    say("delta-text", `δ ${now[0]}`);
    const epsilon = here[0].split(" = ")[0];
    const [holds, not] = now[1];
    const of = order === "worse" ? "" : ", in this order";
    const privacy = holds === "1" && not === "1"
      ? "The two states are told apart with certainty: there is no privacy."
      : `(${epsilon}, ${holds})-differential privacy holds${of}` +
        (not === "0" ? "." : holds === not ? ", and for no smaller δ." : `, and for no δ below ${not}.`);
    say("privacy-text", privacy);
    ["forward", "backward"].forEach((name, k) => {
      say(`name-${name}`, `${names()[k]} over ${names()[1 - k]}`);
      say(`value-${name}`, `δ ${here[5 + k][0]}`);
    });
    for (const node of document.querySelectorAll(".say-first")) node.textContent = first;
    for (const node of document.querySelectorAll(".say-second")) node.textContent = second;
    const never = Number(now[8][1]) === 0;
    say("attack-text", never
      ? `Nothing that can be seen is more than ${here[2]} times as likely from ${first} as from ${second}: ` +
        `at this ε the best test never says ${first}.`
      : `Say ${first} when what was seen is more than eᵋ = ${here[2]} times as likely from ${first} as from ${second}.`);
    ["tp", "fp", "fn", "tn"].forEach((name, k) => say(`${name}-text`, now[4 + k]));
    fill("tp-bar", Number(now[8][0]));
    fill("fp-bar", Number(now[9][1]));
    fill("fn-bar", 1 - Number(now[8][0]));
    fill("tn-bar", 1 - Number(now[9][1]));
  };

  /* What the observer believes of the first state, after the test; bounds outwards, exact ones cut. */
  const showBelief = (here, side, now) => {
    const mine = [BigInt(prior.value), 100n];
    const other = rest(mine);
    say("prior-text", `${prior.value}\u202f%`);
    prior.setAttribute("aria-valuetext", `${prior.value} percent`);
    const [rightLow, rightHigh] = now[8].map(rational);
    const [wrongLow, wrongHigh] = now[9].map(rational);
    const accepted = [share(times(mine, rightLow), times(other, wrongHigh)),
      share(times(mine, rightHigh), times(other, wrongLow))];
    const refused = [share(times(mine, rest(rightHigh)), times(other, rest(wrongLow))),
      share(times(mine, rest(rightLow)), times(other, rest(wrongHigh)))];
    const show = (name, [low, high], bound) => {
      if (low === null || high === null) {
        say(`${name}-text`, "it never says so");
        fill(`${name}-bar`, 0);
        return;
      }
      const [down, up] = [hundredths(low, false), hundredths(high, true)];
      const text = !exhibit().exact ? (bound === "least" ? `at least ${percent(down)}` : `at most ${percent(up)}`)
        : down === up ? percent(up)
          : up - down === 1n ? `${percent(down).replace("\u202f%", "…\u202f%")}`
            : `${percent(down)} to ${percent(up)}`;
      say(`${name}-text`, text);
      fill(`${name}-bar`, Number(bound === "least" ? down : up) / 10000);
    };
    show("after-first", accepted, "least");
    show("after-second", refused, "most");
    const alpha = rational(here[3]);
    const most = percent(hundredths(share(times(mine, alpha), other), true));
    const least = percent(hundredths(share(mine, times(other, alpha)), false));
    say("pure-text", `With δ = 0 this ε would keep every belief between ${least} and ${most}.`);
  };

  const show = () => {
    const here = position();
    const side = sideNow();
    const now = here[order === "worse" ? 7 : 5 + side];
    showFigures(here, side, now);
    showTexts(here, side, now);
    showBelief(here, side, now);
    for (const [button, place] of chips) button.setAttribute("aria-pressed", String(place === Number(slider.value)));
  };

  const choose = (number) => {
    const before = slider.dataset.shown === undefined ? null : position()[1];
    shown = number;
    slider.dataset.shown = String(number);
    const { positions, start } = exhibit();
    slider.max = String(positions.length - 1);
    slider.value = String(before === null ? start : nearest(before));
    const [first, second] = names();
    say("order-forward", `${first} over ${second}`);
    say("order-backward", `${second} over ${first}`);
    at("chips").replaceChildren();
    chips = exhibit().chips.map(([place, name]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.addEventListener("click", () => { slider.value = String(place); show(); });
      at("chips").append(button);
      return [button, place];
    });
    show();
  };

  const nearest = (epsilon) => {
    const { positions } = exhibit();
    let best = 0;
    positions.forEach((entry, place) => {
      if (Math.abs(entry[1] - epsilon) < Math.abs(positions[best][1] - epsilon)) best = place;
    });
    return best;
  };

  slider.addEventListener("input", show);
  prior.addEventListener("input", show);
  for (const radio of document.querySelectorAll("input[name=order]")) {
    radio.addEventListener("change", () => { order = radio.value; show(); });
  }
  if (choice) choice.addEventListener("change", () => choose(Number(choice.value)));

  /* A finger or a mouse on the figure moves the slider. */
  const figure = at("delta-figure");
  const follow = (event) => {
    const box = figure.getBoundingClientRect();
    const [left, right] = data.delta[1];
    const x = ((event.clientX - box.left) / box.width) * figure.viewBox.baseVal.width;
    const [x0, x1] = data.delta[0];
    slider.value = String(nearest((Math.min(right, Math.max(left, x)) - x0) / (x1 - x0)));
    show();
  };
  figure.addEventListener("pointerdown", (event) => { figure.setPointerCapture(event.pointerId); follow(event); });
  figure.addEventListener("pointermove", (event) => { if (event.buttons) follow(event); });

  choose(0);
})();
