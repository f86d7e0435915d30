import { catchUp } from "../clock.js";
import type { Site } from "../site.js";
import { introduce } from "../worlds.js";
import { type KeySummary, summariseKeys } from "./key-summary.js";

/** The start page: which server this is, which keys there are, and the explorer with the first of them in place. */
export function startPage(site: Site): string {
  const { default: hosted } = site.worlds;
  catchUp(hosted.clock);
  const { keys, sessions, repos } = introduce(hosted);
  // whoever gave the mock an admin token does not want its keys read by passers-by
  const open = site.adminToken === null;
  const summaries = open ? summariseKeys(hosted.world, Object.values(keys)) : [];
  return document(`
<header>
  <a class="brand" href="/">Counterpart</a>
  <span class="badge">stand-in</span>
  <code class="address">${escaped(site.addresses.api_url)}</code>
  <a href="/control">Control plane</a>
  ${keyChoice(summaries)}
</header>
${explorer}
  <section class="server" slot="overview">
    <h2>This server</h2>
    ${addressList(site)}
    <h2>Keys</h2>
    ${open ? keyTable(summaries) + reposAndSessions(repos, sessions) : keysElsewhere}
  </section>
</rapi-doc>
<script type="module" src="/page.js"></script>
<script type="module" src="/explorer.js"></script>`);
}

/** The page of the control plane: every route and event of it, to be tried from there. */
export function controlPage({ addresses }: Site): string {
  return document(`
<header>
  <a class="brand" href="/">Counterpart</a>
  <span class="badge">stand-in</span>
  <code class="address">${escaped(addresses.control_url)}</code>
  <a href="/">The service</a>
</header>
${explorer.replace("/explorer.json", "/control.json")}
</rapi-doc>
<script type="module" src="/explorer.js"></script>`);
}

/** What a person sees who asks for a page that is not there. */
export function missingPage(message: string): string {
  return document(`<header><a class="brand" href="/">Counterpart</a></header><main><p>${escaped(message)}</p></main>`);
}

const explorer = `
<rapi-doc spec-url="/explorer.json" render-style="read" layout="column" theme="light" show-header="false" load-fonts="false"
  regular-font="system-ui, sans-serif" mono-font="ui-monospace, monospace" primary-color="#2f5fd0" nav-bg-color="#f6f7f9"
  nav-text-color="#384152" nav-hover-bg-color="#e8ebf1" nav-accent-color="#2f5fd0" nav-item-spacing="compact"
  show-method-in-nav-bar="as-colored-text" allow-spec-file-download="false" allow-spec-url-load="false" allow-spec-file-load="false"
  allow-server-selection="false" allow-advanced-search="false" schema-style="table" default-schema-tab="example" response-area-height="280px">`;

const keysElsewhere = `<p>This mock asks for an admin token, so its keys are told by the control plane only: <code>GET /__mock/target</code>.</p>`;

function document(body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Counterpart</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
</head>
<body>${body}
</body>
</html>
`;
}

function keyChoice(keys: KeySummary[]): string {
  if (keys.length === 0) return "";
  const options = keys.map(({ token }) => `<option value="${escaped(token)}">${escaped(token)}</option>`);
  return `<label>Call with key <select id="key">${options.join("")}</select></label>`;
}

function addressList({ addresses }: Site): string {
  const rows: [string, string, string][] = [
    ["API", addresses.api_url, "everything below /api"],
    ["Tools", addresses.mcp_url, "MCP over streamable HTTP"],
    ["App", addresses.app_url, "the same API for people signed in, by cookie"],
    ["Control", addresses.control_url, "worlds, clock, faults, journal"],
    ["Document", `${addresses.docs_url}/openapi.json`, "OpenAPI 3.1, for code generators"],
  ];
  const cells = rows.map(([name, url, what]) => `<dt>${name}</dt><dd><code>${escaped(url)}</code> ${what}</dd>`);
  return `<dl>${cells.join("")}</dl>`;
}

function keyTable(keys: KeySummary[]): string {
  const rows = keys.map(
    ({ token, workspace, standing, may, works }) =>
      `<tr data-key="${escaped(token)}" class="${works ? "" : "dead"}"><td><code>${escaped(token)}</code></td>` +
      `<td>${escaped(workspace)} <small>${escaped(standing)}</small></td><td>${escaped(may)}</td></tr>`,
  );
  return `<table><thead><tr><th>Key</th><th>Workspace</th><th>May</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function reposAndSessions(repos: string[], sessions: Record<string, string>): string {
  const list = (items: string[]) => items.map((item) => `<code>${escaped(item)}</code>`).join(" ");
  return `<dl><dt>Repositories</dt><dd>${list(repos)}</dd><dt>Cookies</dt><dd>${list(Object.values(sessions))} on the app host</dd></dl>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
