/** The script of the HTML report: filters rows, opens the target of a link, and moves between findings by keys. */
export const pageScript = `
const one = (selector) => document.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const rows = all("[data-verdict]");
const texts = new Map();
const chosen = new Set();
const facets = all(".bar select");

const textOf = (row) => {
  if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
  return texts.get(row);
};
const filter = () => {
  const words = one("#search").value.toLowerCase().split(/\\s+/).filter(Boolean);
  const fits = (row) =>
    (chosen.size === 0 || chosen.has(row.dataset.verdict)) &&
    facets.every(({ id, value }) => value === "" || (row.dataset[id] ?? "").split(" ").includes(value)) &&
    words.every((word) => textOf(row).includes(word));
  for (const row of rows) row.hidden = !fits(row);
  for (const group of all("[data-group]")) group.hidden = all("[data-verdict]", group).every((row) => row.hidden);
  const isFiltered = words.length > 0 || chosen.size > 0 || facets.some(({ value }) => value !== "");
  // opens collapsed lists that contain a match
  for (const others of all(".others")) others.open = isFiltered && all(".finding", others).some((row) => !row.hidden);
  const clauses = all(".clauses [data-verdict]").filter((row) => !row.hidden).length;
  const findings = all(".finding").filter((row) => !row.hidden).length;
  const counted = (count, word) => count + " " + word + (count === 1 ? "" : "s");
  one(".found").textContent = !isFiltered ? "" : (findings > 0 ? counted(findings, "finding") + ", " : "") + counted(clauses, "clause");
};

// some browsers do not open a closed details element around the target of a link
const openTarget = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let at = target; at; at = at.parentElement) {
    if (at.tagName === "DETAILS") at.open = true;
    if (at.hidden) at.hidden = false;
  }
  const finding = target.closest(".finding");
  (finding ?? target).scrollIntoView();
  if (finding) finding.focus({ preventScroll: true });
};

const step = (by) => {
  const shown = all(".finding").filter((row) => row.offsetParent !== null && !row.closest("details:not([open])"));
  const at = shown.indexOf(document.activeElement?.closest(".finding"));
  const next = shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : at + by];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView();
};
const toggleDetails = () => {
  const finding = document.activeElement?.closest(".finding");
  const parts = finding ? all("details", finding) : [];
  const open = parts.some((part) => !part.open);
  for (const part of parts) part.open = open;
};
const keys = { j: () => step(1), k: () => step(-1), o: toggleDetails, "/": () => one("#search").focus() };

for (const button of all(".bar button"))
  button.addEventListener("click", () => {
    const verdict = button.dataset.choice;
    chosen.has(verdict) ? chosen.delete(verdict) : chosen.add(verdict);
    button.setAttribute("aria-pressed", chosen.has(verdict));
    filter();
  });
one("#search").addEventListener("input", filter);
for (const facet of facets) facet.addEventListener("change", filter);
addEventListener("hashchange", openTarget);
addEventListener("keydown", (event) => {
  const isTyping = document.activeElement?.matches("input, select");
  if (event.key === "Escape" && isTyping) document.activeElement.blur();
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
openTarget();
`;
