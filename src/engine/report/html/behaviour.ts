/** What the report does in a browser: it narrows by words, verdict, cause, section and surface, opens what a link leads to, and steps by keys. */
export const behaviour = `
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
const narrow = () => {
  const words = one("#search").value.toLowerCase().split(/\\s+/).filter(Boolean);
  const fits = (row) =>
    (chosen.size === 0 || chosen.has(row.dataset.verdict)) &&
    facets.every(({ id, value }) => value === "" || (row.dataset[id] ?? "").split(" ").includes(value)) &&
    words.every((word) => textOf(row).includes(word));
  for (const row of rows) row.hidden = !fits(row);
  for (const group of all("[data-group]")) group.hidden = all("[data-verdict]", group).every((row) => row.hidden);
  const asked = words.length > 0 || chosen.size > 0 || facets.some(({ value }) => value !== "");
  // what is found is of no use folded away
  for (const others of all(".others")) others.open = asked && all(".finding", others).some((row) => !row.hidden);
  const clauses = all(".clauses [data-verdict]").filter((row) => !row.hidden).length;
  const findings = all(".finding").filter((row) => !row.hidden).length;
  const counted = (count, word) => count + " " + word + (count === 1 ? "" : "s");
  one(".found").textContent = !asked ? "" : (findings > 0 ? counted(findings, "finding") + ", " : "") + counted(clauses, "clause");
};

// not every browser opens what is folded when a link leads into it
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
const fold = () => {
  const finding = document.activeElement?.closest(".finding");
  const parts = finding ? all("details", finding) : [];
  const open = parts.some((part) => !part.open);
  for (const part of parts) part.open = open;
};
const keys = { j: () => step(1), k: () => step(-1), o: fold, "/": () => one("#search").focus() };

for (const button of all(".bar button"))
  button.addEventListener("click", () => {
    const verdict = button.dataset.choice;
    chosen.has(verdict) ? chosen.delete(verdict) : chosen.add(verdict);
    button.setAttribute("aria-pressed", chosen.has(verdict));
    narrow();
  });
one("#search").addEventListener("input", narrow);
for (const facet of facets) facet.addEventListener("change", narrow);
addEventListener("hashchange", openTarget);
addEventListener("keydown", (event) => {
  const writes = document.activeElement?.matches("input, select");
  if (event.key === "Escape" && writes) document.activeElement.blur();
  if (writes || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
openTarget();
`;
