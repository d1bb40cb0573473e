// Tables can be sorted by a column and filtered by a word, and long ones scroll under their heads;
// without this they are just tables.
"use strict";
(() => {
  const LONG = 8; // rows from which on a filter is of use

  const words = (cell) => cell.textContent.trim().replace(/\s+/g, " ");
  const value = (cell) => {
    if (cell.dataset.rank !== undefined) return Number(cell.dataset.rank);
    const text = words(cell);
    const number = /^[+-]?[\d,]*\.?\d+(e[+-]?\d+)?/i.exec(text);
    return number ? Number(number[0].replaceAll(",", "")) : text.toLowerCase();
  };
  const compare = (a, b) => {
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === "number" ? -1 : 1; // "-" stands for no number: last
  };

  function sortBy(table, head) {
    const column = head.cellIndex;
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [value(row.cells[column]), row]);
    rows.sort((a, b) => (up ? compare(a[0], b[0]) : compare(b[0], a[0])));
    body.append(...rows.map((pair) => pair[1]));
  }

  function addFilter(table) {
    const label = document.createElement("label");
    const field = document.createElement("input");
    field.type = "search";
    label.className = "filter";
    label.append("Only rows with ", field);
    field.addEventListener("input", () => {
      const wanted = field.value.trim().toLowerCase();
      for (const row of table.tBodies[0].rows)
        row.hidden = !words(row).toLowerCase().includes(wanted);
    });
    table.closest(".scroll").before(label);
  }

  for (const box of document.querySelectorAll(".scroll"))
    box.classList.toggle("long", box.scrollHeight > 1.5 * innerHeight);

  for (const table of document.querySelectorAll("table.sortable")) {
    if (table.tBodies[0].rows.length < 2) continue;
    for (const head of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sortBy(table, head));
      head.append(button);
    }
    if (table.tBodies[0].rows.length >= LONG) addFilter(table);
  }
})();
