import { html, type Markup } from "../../common/html/markup.js";
import type { MockContext } from "../context.js";
import { catchUp } from "../worlds/clock.js";
import { buildWorldInfo } from "../worlds/worlds.js";
import { type KeySummary, summariseKeys } from "./key-summary.js";
import { buildDocument, buildHeader } from "./layout.js";

/** Returns the start page: the server, its keys, and the explorer with the first key. */
export function buildStartPage(context: MockContext): string {
  const { default: worldEntry } = context.worlds;
  catchUp(worldEntry.clock);
  const { keys, sessions, repos } = buildWorldInfo(worldEntry);
  // if the mock has an admin token, its page shows no keys
  const isOpen = context.adminToken === null;
  const summaries = isOpen ? summariseKeys(worldEntry.world, Object.values(keys)) : [];
  return buildDocument(
    "Service",
    html`${buildHeader("/", buildAddress(context.addresses.api_url), buildKeyChoice(summaries))}
${buildExplorer("/explorer.json")}
  <section class="server" slot="overview">
    <h2>This server</h2>
    ${buildAddressList(context)}
    <h2>Keys</h2>
    ${isOpen ? [buildKeyTable(summaries), buildRepositoryLists(repos, sessions)] : keysElsewhere}
  </section>
</rapi-doc>
<script type="module" src="/page.js"></script>
<script type="module" src="/explorer.js"></script>`,
  );
}

/** Returns the page of the control plane, with every route and event. */
export function buildControlPage({ addresses }: MockContext): string {
  return buildDocument(
    "Control plane",
    html`${buildHeader("/control", buildAddress(addresses.control_url))}
${buildExplorer("/control.json")}
</rapi-doc>
<script type="module" src="/page.js"></script>
<script type="module" src="/explorer.js"></script>`,
  );
}

/** Returns the page for an unknown address. */
export function buildMissingPage(message: string): string {
  return buildDocument("Not found", html`${buildHeader("")}<main><p>${message}</p></main>`);
}

function buildAddress(url: string): Markup {
  return html`<code class="address">${url}</code>`;
}

function buildExplorer(document: string): Markup {
  return html`
<rapi-doc spec-url="${document}" render-style="read" layout="column" theme="light" show-header="false" load-fonts="false"
  regular-font="system-ui, sans-serif" mono-font="ui-monospace, monospace" primary-color="#2f5fd0" nav-bg-color="#f6f7f9"
  nav-text-color="#384152" nav-hover-bg-color="#e8ebf1" nav-accent-color="#2f5fd0" nav-item-spacing="compact"
  show-method-in-nav-bar="as-colored-text" allow-spec-file-download="false" allow-spec-url-load="false" allow-spec-file-load="false"
  allow-server-selection="false" allow-advanced-search="false" schema-style="table" default-schema-tab="example" response-area-height="280px">`;
}

const keysElsewhere = html`<p>This mock has an admin token, so only the control plane shows its keys: <code>GET /__mock/target</code>.</p>`;

function buildKeyChoice(keys: KeySummary[]): Markup | false {
  if (keys.length === 0) return false;
  const options = keys.map(({ token }) => html`<option value="${token}">${token}</option>`);
  return html`<label>Call with key <select id="key">${options}</select></label>`;
}

function buildAddressList({ addresses }: MockContext): Markup {
  const rows: [string, string, string][] = [
    ["API", addresses.api_url, "everything below /api"],
    ["Tools", addresses.mcp_url, "MCP over streamable HTTP"],
    ["App", addresses.app_url, "the same API for people signed in, by cookie"],
    ["Control", addresses.control_url, "worlds, clock, faults, journal"],
    ["Document", `${addresses.docs_url}/openapi.json`, "OpenAPI 3.1, for code generators"],
  ];
  return html`<dl>${rows.map(([name, url, what]) => html`<dt>${name}</dt><dd><code>${url}</code> ${what}</dd>`)}</dl>`;
}

function buildKeyTable(keys: KeySummary[]): Markup {
  const rows = keys.map(
    ({ token, workspace, planSummary, may, works }) =>
      html`<tr data-key="${token}" class="${works ? "" : "dead"}"><td><code>${token}</code></td><td>${workspace} <small>${planSummary}</small></td><td>${may}</td></tr>`,
  );
  return html`<table><thead><tr><th>Key</th><th>Workspace</th><th>May</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function buildRepositoryLists(repos: string[], sessions: Record<string, string>): Markup {
  const list = (items: string[]) => items.map((item) => html`<code>${item}</code> `);
  return html`<dl><dt>Repositories</dt><dd>${list(repos)}</dd><dt>Cookies</dt><dd>${list(Object.values(sessions))} on the app host</dd></dl>`;
}
