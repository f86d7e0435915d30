/** The script of the page. The explorer sends calls with the key that the user chooses at the top or in the table. */
export const behaviour = `
const explorer = document.querySelector("rapi-doc");
const chosen = document.querySelector("#key");
const rows = document.querySelectorAll("[data-key]");

function applyKey() {
  for (const row of rows) row.classList.toggle("chosen", row.dataset.key === chosen.value);
  if (explorer.resolvedSpec) explorer.setApiKey("bearer", chosen.value);
}

if (chosen) {
  explorer.addEventListener("spec-loaded", applyKey);
  chosen.addEventListener("change", applyKey);
  for (const row of rows) {
    row.addEventListener("click", () => {
      chosen.value = row.dataset.key;
      applyKey();
    });
  }
}
`;
