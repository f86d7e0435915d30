/**
 * The script of all pages. The explorer follows the colours of the screen and sends calls with the key that the user chooses at the top or in
 * the table. A search hides the entries that lack a word of it.
 */
export const behaviour = `
const explorer = document.querySelector("rapi-doc");
const chosen = document.querySelector("#key");
const rows = document.querySelectorAll("[data-key]");
const search = document.querySelector("#search");

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

const dark = { theme: "dark", "bg-color": "#12161d", "text-color": "#e4e8ee", "nav-bg-color": "#1a2029", "nav-text-color": "#c3cad5", "nav-hover-bg-color": "#2c3441", "primary-color": "#7fa5ff", "nav-accent-color": "#7fa5ff" };

if (explorer && matchMedia("(prefers-color-scheme: dark)").matches)
  for (const [name, value] of Object.entries(dark)) explorer.setAttribute(name, value);

if (search) {
  const entries = [...document.querySelectorAll("main li, main article")];
  const texts = entries.map((entry) => entry.dataset.text ?? entry.textContent.toLowerCase());
  const found = document.querySelector("#found");
  const apply = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let count = 0;
    entries.forEach((entry, at) => {
      entry.hidden = !words.every((word) => texts[at].includes(word));
      if (!entry.hidden) count += 1;
    });
    for (const part of document.querySelectorAll("[data-part]")) part.hidden = !part.querySelector("li:not([hidden]), article:not([hidden])");
    found.textContent = words.length === 0 ? "" : count + " of " + entries.length;
  };
  search.addEventListener("input", apply);
  apply();
}
`;
