/** The page's own script: the explorer calls with the key that is chosen at the top. */
export const behaviour = `
const explorer = document.querySelector("rapi-doc");
const chosen = document.querySelector("#key");

function applyKey() {
  for (const row of document.querySelectorAll("[data-role]")) row.classList.toggle("chosen", row.dataset.role === chosen.selectedOptions[0].dataset.name);
  explorer.setApiKey("bearer", chosen.value);
}

if (chosen) {
  explorer.addEventListener("spec-loaded", applyKey);
  chosen.addEventListener("change", applyKey);
  for (const row of document.querySelectorAll("[data-role]")) row.addEventListener("click", () => {
    chosen.value = [...chosen.options].find((option) => option.dataset.name === row.dataset.role).value;
    applyKey();
  });
}
`;
