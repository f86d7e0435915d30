import { html, type Markup } from "../../../common/html/markup.js";
import type { Check } from "../../execute/check.js";
import type { ScenarioLine } from "../../verdict/scenario-line.js";
import type { Outline } from "../outline.js";
import type { Report } from "../report.js";
import { leftoverGroups, opinionLine, reasonGroups, replayCommand, staleWaivers, waiverEffect } from "../summary.js";
import { marks } from "./findings.js";
import { badge } from "./pieces.js";

/** Waivers that must go, and those that hold. */
export function waiverTable(report: Report): Markup | undefined {
  if (report.waivers.length === 0) return undefined;
  const rows = report.waivers.map((waiver) => {
    const { clause, state, reason, ticket, expires, target } = waiver;
    return html`<tr><td><a href="#${clause}"><code>${clause}</code></a></td><td>${state}: ${waiverEffect(waiver, report)}</td><td>${reason}</td><td>${ticket}</td><td>${expires}</td><td>${target}</td></tr>`;
  });
  const stale = staleWaivers(report).length;
  return html`<h2>Waivers${stale > 0 && `, ${stale} of them stale`}</h2>
<table><thead><tr><th>Clause</th><th>State</th><th>Reason</th><th>Ticket</th><th>Until</th><th>Target</th></tr></thead><tbody>${rows}</tbody></table>`;
}

/** Each reason why something was not judged, and whom it stopped. */
export function reasonTable(report: Report): Markup | undefined {
  const groups = reasonGroups(report);
  if (groups.length === 0) return undefined;
  const rows = groups.map(
    ({ verdict, reason, scenarios }) =>
      html`<tr data-verdict="${verdict}"><td>${badge(verdict)}</td><td>${reason}</td><td>${scenarios.map((name) => html`<a href="#${name}">${name}</a> `)}</td></tr>`,
  );
  return html`<section data-group><h2 id="untold">What could not be told</h2>
<table><thead><tr><th></th><th>Why</th><th>Scenarios</th></tr></thead><tbody>${rows}</tbody></table></section>`;
}

/** What is still there on the server, and why. */
export function leftoverTable(report: Report): Markup | undefined {
  const groups = leftoverGroups(report);
  if (groups.length === 0) return undefined;
  const rows = groups.map(
    ({ what, why, ids, scenarios }) =>
      html`<tr><td>${what}</td><td>${ids.join(", ")}</td><td>${why}</td><td>${scenarios.map((name) => html`<a href="#${name}">${name}</a> `)}</td></tr>`,
  );
  return html`<section><h2>Left behind on the server</h2>
<table><thead><tr><th>What</th><th>Which</th><th>Why</th><th>Scenarios</th></tr></thead><tbody>${rows}</tbody></table></section>`;
}

/** What the other validator says of the exchanges, which no verdict depends on. */
export function opinionSection({ second_opinion: opinion }: Report): Markup | undefined {
  if (!opinion) return undefined;
  const rows = opinion.violations.map(
    ({ severity, location, message, request, status, count }) =>
      html`<tr><td>${count}</td><td>${severity}</td><td><code>${location}</code></td><td>${message}</td><td><code>${request}</code> → ${status}</td></tr>`,
  );
  return html`<section><h2>Second opinion</h2>
<p>No part of the verdict. ${opinionLine(opinion)}.</p>
${
  rows.length > 0 &&
  html`<table><thead><tr><th>Times</th><th></th><th>Where</th><th>What</th><th>First met</th></tr></thead><tbody>${rows}</tbody></table>`
}</section>`;
}

/** Every scenario with its checks, folded; properties have a list of their own. */
export function scenarioList(report: Report, outline: Outline): Markup[] {
  const properties = new Set(report.properties.map(({ id }) => `property:${id}`));
  return report.scenarios.filter(({ scenario }) => !properties.has(scenario)).map((line) => scenarioItem(report, line, outline));
}

function scenarioItem(report: Report, line: ScenarioLine, outline: Outline): Markup {
  const { scenario, title, file, verdict, requests, reason, proves } = line;
  const checks = report.checks.filter((check) => check.scenario === scenario);
  return html`
<details class="scenario ${verdict}" id="${scenario}" data-verdict="${verdict}" ${marks(proves, outline)}>
<summary><span class="fixed">${badge(verdict)}</span><span>${title}</span><code class="tag">${scenario}</code></summary>
<div>${reason && html`<p class="reason">${reason}</p>`}
<p class="label"><code>${file}</code>, ${requests} requests, again: <code>${replayCommand(report, { file })}</code></p>
<table><tbody>${checks.map(checkRow)}</tbody></table></div>
</details>`;
}

function checkRow({ id, step, verdict, clauses, subjects, reason, actual, line }: Check): Markup {
  const why = reason ?? (verdict === "passed" ? undefined : actual);
  const named = verdict === "failed" ? html`<a href="#${id}">${step}</a>` : step; // its card has the address
  return html`<tr${verdict !== "failed" && html` id="${id}"`}><td>${badge(verdict)}</td><td>${named}${why && html`<p class="says">${why}</p>`}</td>
<td>${clauses.map((clause) => html`<a href="#${clause}"><code>${clause}</code></a> `)}</td><td>${subjects} judged</td><td>line ${line}</td></tr>`;
}
