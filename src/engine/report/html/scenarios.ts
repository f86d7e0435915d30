import { html, type Markup } from "../../../common/html/markup.js";
import { cutText, formatCount } from "../../../common/phrases.js";
import type { Check } from "../../execute/check.js";
import type { PropertyEntry } from "../../property/result.js";
import type { ScenarioEntry } from "../../verdict/scenario-entry.js";
import type { Outline } from "../outline.js";
import type { Report } from "../report.js";
import {
  describeSecondOpinion,
  describeWaiverEffect,
  formatCoverage,
  groupLeftovers,
  groupReasons,
  listStaleWaivers,
  replayCommand,
} from "../summary.js";
import { renderBadge, renderBlock } from "./elements.js";
import { renderFilterAttributes } from "./findings.js";

/** The maximum number of characters of a check's reason. */
const MAX_REASON_CHARACTERS = 300;

/** Renders a table of all waivers, with the effect of each. */
export function renderWaivers(report: Report): Markup | undefined {
  if (report.waivers.length === 0) return undefined;
  const rows = report.waivers.map((waiver) => {
    const { clause, state, reason, ticket, expires, target } = waiver;
    return html`<tr><td><a href="#${clause}"><code>${clause}</code></a></td><td>${state}: ${describeWaiverEffect(waiver, report)}</td><td>${reason}</td><td>${ticket}</td><td>${expires}</td><td>${target}</td></tr>`;
  });
  const staleCount = listStaleWaivers(report).length;
  return html`<h2>Waivers${staleCount > 0 && `, ${staleCount} of them stale`}</h2>
<table><thead><tr><th>Clause</th><th>State</th><th>Reason</th><th>Ticket</th><th>Until</th><th>Target</th></tr></thead><tbody>${rows}</tbody></table>`;
}

/** Renders a table of the reasons why scenarios were not judged. */
export function renderReasons(report: Report): Markup | undefined {
  const groups = groupReasons(report);
  if (groups.length === 0) return undefined;
  const rows = groups.map(
    ({ verdict, reason, scenarios }) =>
      html`<tr data-verdict="${verdict}"><td>${renderBadge(verdict)}</td><td>${reason}</td><td>${scenarios.map((name) => html`<a href="#${name}">${name}</a> `)}</td></tr>`,
  );
  return html`<section data-group><h2 id="not-judged">Scenarios that were not judged</h2>
<table><thead><tr><th></th><th>Reason</th><th>Scenarios</th></tr></thead><tbody>${rows}</tbody></table></section>`;
}

/** Renders a table of the leftovers on the server. */
export function renderLeftovers(report: Report): Markup | undefined {
  const groups = groupLeftovers(report);
  if (groups.length === 0) return undefined;
  const rows = groups.map(
    ({ what, why, ids, scenarios }) =>
      html`<tr><td>${what}</td><td>${ids.join(", ")}</td><td>${why}</td><td>${scenarios.map((name) => html`<a href="#${name}">${name}</a> `)}</td></tr>`,
  );
  return html`<section><h2>Left behind on the server</h2>
<table><thead><tr><th>Kind</th><th>Ids</th><th>Reason</th><th>Scenarios</th></tr></thead><tbody>${rows}</tbody></table></section>`;
}

/** Renders the second opinion. */
export function renderSecondOpinion({ second_opinion: opinion }: Report): Markup | undefined {
  if (!opinion) return undefined;
  const rows = opinion.violations.map(
    ({ severity, location, message, request, status, count }) =>
      html`<tr><td>${count}</td><td>${severity}</td><td><code>${location}</code></td><td>${message}</td><td><code>${request}</code> → ${status}</td></tr>`,
  );
  return html`<section><h2>Second opinion</h2>
<p>It does not affect the verdict. ${describeSecondOpinion(opinion)}.</p>
${
  rows.length > 0 &&
  html`<table><thead><tr><th>Count</th><th>Severity</th><th>Location</th><th>Message</th><th>First exchange</th></tr></thead><tbody>${rows}</tbody></table>`
}</section>`;
}

/**
 * Renders every scenario: first those that did not pass, collapsed with their checks, then the names of those that passed.
 * Properties have a separate section.
 */
export function renderScenarios(report: Report, outline: Outline): Markup {
  const properties = new Set(report.properties.map(({ id }) => `property:${id}`));
  const scenarios = report.scenarios.filter(({ scenario }) => !properties.has(scenario));
  const scenarioEntries = scenarios.filter(({ verdict }) => verdict === "passed");
  const otherScenarioEntries = scenarios.filter(({ verdict }) => verdict !== "passed");
  return html`${otherScenarioEntries.map((line) => renderScenario(report, line, outline))}${
    scenarioEntries.length > 0 &&
    html`<p class="label">${formatCount(scenarioEntries.length, "scenario")} passed. <code>npx counterpart-kit show DIR SCENARIO</code> prints the checks of one.</p>
<p>${scenarioEntries.map(({ scenario }) => html`<code id="${scenario}">${scenario}</code> `)}</p>`
  }`;
}

function renderScenario(report: Report, line: ScenarioEntry, outline: Outline): Markup {
  const { scenario, title, file, verdict, requests, reason, proves } = line;
  const checks = report.checks.filter((check) => check.scenario === scenario);
  const passedCount = checks.filter((check) => check.verdict === "passed").length;
  return html`
<details class="scenario ${verdict}" id="${scenario}" data-verdict="${verdict}" ${renderFilterAttributes(proves, outline)}>
<summary><span class="fixed">${renderBadge(verdict)}</span><span>${title}</span><code class="tag">${scenario}</code></summary>
<div>${reason && html`<p class="reason">${reason}</p>`}
<p class="label"><code>${file}</code>, ${requests} requests, replay: <code>${replayCommand(report, { file })}</code></p>
<table><tbody>${checks.filter((check) => check.verdict !== "passed").map(checkRow)}</tbody></table>${passedCount > 0 && html`<p class="label">${formatCount(passedCount, "other check")} passed.</p>`}</div>
</details>`;
}

function checkRow({ id, step, verdict, clauses, subjects, reason, actual, line }: Check): Markup {
  const why = cutText(reason ?? actual ?? "", MAX_REASON_CHARACTERS);
  const named = verdict === "failed" ? html`<a href="#${id}">${step}</a>` : step; // the card of the finding has the element id
  return html`<tr${verdict !== "failed" && html` id="${id}"`}><td>${renderBadge(verdict)}</td><td>${named}${why && html`<p class="statement">${why}</p>`}</td>
<td>${clauses.map((clause) => html`<a href="#${clause}"><code>${clause}</code></a> `)}</td><td>${subjects} judged</td><td>line ${line}</td></tr>`;
}

/** Renders every property with its cases, coverage and counterexample, collapsed. */
export function renderProperties({ properties }: Report): Markup | undefined {
  if (properties.length === 0) return undefined;
  return html`<section data-group><h2>Properties</h2>${properties.map(renderProperty)}</section>`;
}

function renderProperty(property: PropertyEntry): Markup {
  const { id, title, verdict, runs, inconclusive, seed, reason, counterexample } = property;
  return html`
<details class="scenario ${verdict}" id="property:${id}" data-verdict="${verdict}">
<summary><span class="fixed">${renderBadge(verdict)}</span><span>${title}</span><code class="tag">property:${id}</code></summary>
<div${verdict !== "failed" && html` id="property:${id}/cases"`}>${reason && html`<p class="reason">${reason}</p>`}
<p class="label">${runs} cases judged, ${inconclusive} cases inconclusive, seed ${seed}</p>
${formatCoverage(property).map((text) => html`<p class="label">Coverage: ${text}.</p>`)}
${renderBlock("Counterexample", counterexample)}</div>
</details>`;
}
