// Sorts and narrows the tables of a board that is made of files. Without it the tables are whole and in order.
"use strict";

for (const table of document.querySelectorAll("table[data-sortable]")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const valueOf = (row, column) => {
    const text = row.cells[column].dataset.value;
    return text === undefined || text === "" ? NaN : Number(text);
  };

  function sortBy(head, column) {
    const ascending = head.getAttribute("aria-sort") !== "ascending";
    const rows = [...body.rows].map((row, place) => ({ row, place, value: valueOf(row, column) }));
    rows.sort((a, b) => {
      const unknown = Number.isNaN(a.value) - Number.isNaN(b.value);  // what is not known comes last either way
      if (unknown || Number.isNaN(a.value)) return unknown || a.place - b.place;
      return (ascending ? a.value - b.value : b.value - a.value) || a.place - b.place;
    });
    for (const { row } of rows) body.append(row);
    for (const other of heads) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  }

  heads.forEach((head, column) => {
    if (!head.hasAttribute("aria-sort")) return;
    const button = document.createElement("button");
    button.type = "button";
    const label = head.querySelector("span");
    button.textContent = label.textContent;
    button.title = label.title;
    button.addEventListener("click", () => sortBy(head, column));
    label.replaceWith(button);
  });

  if (body.rows.length > 5) {
    const label = document.createElement("label");
    const field = document.createElement("input");
    field.type = "search";
    label.className = "narrow-to";
    label.append("Rows with ", field);
    const told = document.createElement("span");
    told.setAttribute("role", "status");
    label.append(told);
    field.addEventListener("input", () => {
      const wanted = field.value.trim().toLowerCase();
      let shown = 0;
      for (const row of body.rows) {
        row.hidden = !row.querySelector("th").textContent.toLowerCase().includes(wanted);
        shown += !row.hidden;
      }
      told.textContent = wanted ? ` ${shown} of ${body.rows.length}` : "";
    });
    table.parentElement.before(label);
  }
}
