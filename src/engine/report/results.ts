import { html, type Markup } from "../../common/html/markup.js";
import { renderPage } from "../../common/html/page.js";
import { formatCount } from "../../common/phrases.js";
import type { Verdict } from "../execute/check.js";
import { readClaim, shareText } from "./badge.js";
import { inlineCode, renderBadge } from "./html/elements.js";
import type { Outline } from "./outline.js";
import type { Report } from "./report.js";

/** A run on a results page: the report of a verified bundle, that of a bundle which another version of the suite judged, or a bundle that shows no result. */
export type PublishedRun = {
  /** The directory of its bundle. */
  place: string;
  /** Sentences about the verification. */
  messages: readonly string[];
} & ({ state: "verified" | "other-suite"; report: Report } | { state: "changed" | "not-verified"; report?: never });

/** A run with the verdict of each of its clauses. */
interface VerifiedRun {
  place: string;
  messages: readonly string[];
  report: Report;
  verdicts: ReadonlyMap<string, Verdict>;
}

/** Renders runs as one page that loads nothing: a table of runs for each server, what changed between them, and every clause. */
export function renderResultsPage(runs: readonly PublishedRun[], outline: Outline): string {
  const verifiedRuns = runs
    .flatMap((run): VerifiedRun[] => (run.state === "verified" ? [{ ...run, verdicts: mapVerdicts(run.report) }] : []))
    .sort((a, b) => (a.report.started_at < b.report.started_at ? 1 : -1));
  const servers = groupItems(verifiedRuns, ({ report }) => report.target);
  const otherSuiteRuns = runs.filter(({ state }) => state === "other-suite");
  const otherPublishedRuns = runs.filter(({ state }) => state !== "verified" && state !== "other-suite");
  const title = `${formatCount(verifiedRuns.length, "verified run")} of ${formatCount(servers.size, "server")}`;
  const body = html`<header class="top">
<p class="brand">Counterpart · results</p>
<h1>${title}</h1>
<p class="lead">The files of each verified bundle match its statement, and its trace leads to the same verdicts again.</p>
</header>
<main>
${otherPublishedRuns.length > 0 && html`<h2>Bundles that show no result</h2>${otherPublishedRuns.map(renderUnverified)}`}
${[...servers].map(([name, own]) => renderServer(name, own, outline))}
${otherSuiteRuns.length > 0 && formatOtherSuiteSection(otherSuiteRuns)}
</main>`;
  return renderPage({ title: `Results: ${title}`, body });
}

function groupItems<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

function mapVerdicts({ clauses }: Report): Map<string, Verdict> {
  return new Map(clauses.map(({ id, verdict }) => [id, verdict]));
}

function renderUnverified({ place, state, messages }: PublishedRun): Markup {
  const name = state === "changed" ? "changed after the run" : "not verified";
  return html`<article class="finding failed"><h4><span class="badge">${name}</span> <code>${place}</code></h4>
<ul>${messages.map((message) => html`<li>${message}</li>`)}</ul></article>`;
}

/** Lists the runs that another version of the suite judged. Their verdicts are in words, because only a verified run has a badge. */
function formatOtherSuiteSection(runs: readonly PublishedRun[]): Markup {
  return html`<section><h2>Runs that another version of the suite judged</h2>
<p>The files of each bundle match its statement. This version cannot judge its trace again, so nothing here verifies what its report says.</p>
<div class="wide"><table class="runs"><thead><tr><th>Server</th><th>Version</th><th>Started</th><th>Its report says</th><th>Claim</th><th>Bundle</th></tr></thead>
<tbody>${runs.map(getOtherSuiteRow)}</tbody></table></div></section>`;
}

function getOtherSuiteRow({ place, report }: PublishedRun): Markup | undefined {
  if (!report) return undefined;
  const { target, url, outcome, profile, suite } = report;
  return html`
<tr><td>${target}</td><td><b>${readVersion(report)}</b></td><td>${formatStart(report)}</td><td>judged by suite ${suite.version}, not judged again: <small>${outcome.sentence}</small></td><td>${readClaim(report)}, profile ${profile}</td><td><code>${place}</code> of <code>${url}</code></td></tr>`;
}

function renderServer(name: string, runs: readonly VerifiedRun[], outline: Outline): Markup {
  const changes = runs.slice(0, -1).flatMap((run, index) => renderChanges(run, runs[index + 1]));
  return html`<section><h2>${name}</h2>
<div class="wide"><table class="runs"><thead><tr><th>Version</th><th>Started</th><th>Verdict</th><th>Clauses</th><th>Claim</th><th>Bundle</th></tr></thead>
<tbody>${runs.map((run) => runRow(run, outline))}</tbody></table></div>
${runs.length > 1 && html`<h3>Changes between runs</h3>${changes.length > 0 ? changes : html`<p>No verdict changed.</p>`}`}
<h3>Clauses</h3>
${outline.sections.map((title, index) => renderClauses(`§${index + 1} ${title}`, listSectionClauses(index + 1, runs, outline), runs, outline))}
</section>`;
}

function runRow({ place, report, messages }: VerifiedRun, outline: Outline): Markup {
  const { url, verdict, outcome, profile } = report;
  return html`
<tr><td><b>${readVersion(report)}</b></td><td>${formatStart(report)}</td><td>${renderBadge(verdict)} <small>${outcome.sentence}</small></td><td>${shareText(report, outline)}</td><td>${readClaim(report)}, profile ${profile}</td><td><code>${place}</code> of <code>${url}</code><br><small>${messages.join("; ")}</small></td></tr>`;
}

function readVersion({ server_version }: Report): string {
  return server_version ?? "no version";
}

function formatStart({ started_at }: Report): string {
  return `${started_at.slice(0, 16).replace("T", " ")} UTC`;
}

/** Lists the clauses whose verdict differs from that of the run before, by both verdicts. */
function renderChanges(run: VerifiedRun, verifiedRunBefore: VerifiedRun | undefined): Markup[] {
  const changedVerdicts = [...run.verdicts].filter(
    ([id, verdict]) => (verifiedRunBefore?.verdicts.get(id) ?? verdict) !== verdict,
  );
  const kinds = groupItems(changedVerdicts, ([id, verdict]) => `${verifiedRunBefore?.verdicts.get(id)} ${verdict}`);
  return [...kinds].map(([kind, clauses]) => {
    const [was, is] = kind.split(" ") as [Verdict, Verdict];
    return html`<details class="others"><summary>${readVersion(run.report)}, ${formatStart(run.report)}: ${formatCount(clauses.length, "clause")} ${renderBadge(was)} → ${renderBadge(is)}</summary>
<p>${clauses.map(([id]) => html`<code>${id}</code> `)}</p></details>`;
  });
}

/** Returns the clauses of a section that a run has a verdict on, in the order of the outline. */
function listSectionClauses(section: number, runs: readonly VerifiedRun[], { clauses }: Outline): string[] {
  return Object.keys(clauses).filter((id) => clauses[id]?.section === section && runs.some(({ verdicts }) => verdicts.has(id)));
}

function renderClauses(
  title: string,
  ids: readonly string[],
  runs: readonly VerifiedRun[],
  outline: Outline,
): Markup | undefined {
  const [newest] = runs;
  if (!newest || ids.length === 0) return undefined;
  const passedCount = ids.filter((id) => newest.verdicts.get(id) === "passed").length;
  const rows = ids.map(
    (id) => html`
<tr><th scope="row"><code class="id">${id}</code><p class="statement">${inlineCode(outline.clauses[id]?.description)}</p></th>${runs.map(
      ({ verdicts }) => {
        const verdict = verdicts.get(id);
        return html`<td>${verdict ? renderBadge(verdict) : "not in this run"}</td>`;
      },
    )}</tr>`,
  );
  return html`<details class="others"><summary>${title}: ${passedCount} of ${ids.length} passed in the newest run</summary>
<div class="wide"><table class="over-time"><thead><tr><th>Clause</th>${runs.map(({ report }) => html`<th scope="col">${readVersion(report)}<br>${formatStart(report)}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div></details>`;
}
