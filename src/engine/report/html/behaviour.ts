/** What the report does in a browser: it narrows by words, verdict and surface, opens what a link leads to, and everything for printing. */
export const behaviour = `
const one = (selector) => document.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const rows = all("[data-verdict]");
const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
const chosen = new Set();

const narrow = () => {
  const words = one("#search").value.toLowerCase().split(/\\s+/).filter(Boolean);
  const surface = one("#surface").value;
  const fits = (row) =>
    words.every((word) => texts.get(row).includes(word)) &&
    (chosen.size === 0 || chosen.has(row.dataset.verdict)) &&
    (surface === "" || (row.dataset.surface ?? surface).split(" ").includes(surface));
  for (const row of rows) row.hidden = !fits(row);
  for (const group of all("[data-group]")) group.hidden = all("[data-verdict]", group).every((row) => row.hidden);
  const asked = words.length > 0 || chosen.size > 0 || surface !== "";
  const clauses = all(".clauses [data-verdict]").filter((row) => !row.hidden).length;
  one(".found").textContent = asked ? clauses + (clauses === 1 ? " clause" : " clauses") : "";
};

// not every browser opens what is folded when a link leads into it
const openTarget = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let at = target; at; at = at.parentElement) {
    if (at.tagName === "DETAILS") at.open = true;
    if (at.hidden) at.hidden = false;
  }
  if (target) target.scrollIntoView();
};

for (const button of all(".bar button"))
  button.addEventListener("click", () => {
    const verdict = button.dataset.choice;
    chosen.has(verdict) ? chosen.delete(verdict) : chosen.add(verdict);
    button.setAttribute("aria-pressed", chosen.has(verdict));
    narrow();
  });
one("#search").addEventListener("input", narrow);
one("#surface").addEventListener("change", narrow);
addEventListener("hashchange", openTarget);
addEventListener("keydown", (event) => {
  if (event.key !== "/" || document.activeElement === one("#search")) return;
  event.preventDefault();
  one("#search").focus();
});
addEventListener("beforeprint", () => all("details").forEach((details) => (details.open = true)));
narrow();
openTarget();
`;
