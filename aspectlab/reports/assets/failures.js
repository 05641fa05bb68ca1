"use strict";
const kind = document.getElementById("kind");
const units = [...document.querySelectorAll("section")];
function show() {
  let shown = 0;
  for (const unit of units) {
    unit.hidden = kind.value !== "" && !unit.dataset.wrong.split("\n").includes(kind.value);
    shown += unit.hidden ? 0 : 1;
  }
  document.getElementById("shown").textContent = `${shown} of ${units.length} shown`;
}
kind.addEventListener("change", show);
document.getElementById("filter").hidden = false;
show();
