"use strict";
/* Sorting and filtering of the table of pairs; details are opened for printing and for links into them. */
(() => {
  document.documentElement.classList.add("scripted");

  const most = 500; // rows that are shown unless all are asked for: a browser takes seconds for thousands
  const table = document.getElementById("pairs-table");
  const shown = document.getElementById("shown");
  const filter = document.getElementById("filter");
  const more = document.getElementById("more");
  const body = table.tBodies[0];
  const heads = Array.from(table.tHead.rows[0].cells);
  let rows = Array.from(body.rows);
  let texts = null;
  let wanted = "";
  let order = "";

  const show = (limit) => {
    let matching = 0;
    for (const row of rows) {
      const matches = !wanted || texts.get(row).includes(wanted);
      if (matches) matching += 1;
      row.hidden = !matches || matching > limit;
    }
    const visible = Math.min(matching, limit);
    more.hidden = visible === matching;
    const all = `${rows.length} pair${rows.length === 1 ? "" : "s"}`;
    shown.textContent = (visible === rows.length ? all : `${visible} of ${all}`) + order;
  };

  const sortBy = (column) => {
    const head = heads[column];
    const descending = head.getAttribute("aria-sort") === "ascending";
    const sign = descending ? -1 : 1;
    const keyed = rows.map((row, place) => [Number(row.cells[column].dataset.k), place, row]);
    keyed.sort((one, other) => sign * (one[0] - other[0]) || one[1] - other[1]);
    rows = keyed.map((entry) => entry[2]);
    body.append(...rows);
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    order = `, by ${head.textContent}, ${descending ? "falling" : "rising"}`;
    show(most);
  };

  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => sortBy(column));
  });

  filter.addEventListener("input", () => {
    wanted = filter.value.trim().toLowerCase();
    texts ??= new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
    show(most);
  });

  more.addEventListener("click", () => show(Infinity));

  const reveal = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    const details = target && target.closest("details");
    if (details && !details.open) {
      details.open = true;
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", reveal);
  reveal();

  let opened = [];
  addEventListener("beforeprint", () => {
    show(Infinity);
    opened = Array.from(document.querySelectorAll("details:not([open])"));
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    show(most);
    for (const details of opened) details.open = false;
  });

  show(most);
})();
