import { contract } from "../../contract/load.js";
import type { Site } from "../site.js";
import type { Endpoint } from "./endpoint.js";

/** The page that a person sees at the control plane's root: every route and event, and where there is more. It needs nothing from elsewhere. */
export function overviewPage({ addresses, worlds }: Site, endpoints: readonly Endpoint[]): string {
  const names = [...worlds.byId.keys()].slice(0, 20).map((id) => link(`/__mock/worlds/${id}`, id));
  const routes = endpoints.map(({ on, says }) => `<tr><td><code>${routeOf(on)}</code></td><td>${escaped(says)}</td></tr>`);
  const events = Object.entries(contract.events).map(
    ([event, { says }]) => `<tr><td><code>${escaped(event)}</code></td><td>${escaped(says)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Counterpart: control plane</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 15px/1.5 system-ui, sans-serif; }
table { border-collapse: collapse; } td { padding: 3px 16px 3px 0; vertical-align: top; } code { font: 13px ui-monospace, monospace; overflow-wrap: anywhere; }
</style>
</head>
<body>
<h1>Control plane</h1>
<p>Worlds: ${names.join(" ")}. ${link("/__mock/worlds/default/journal", "What was called")} and ${link("/__mock/worlds/default/clock", "what time it is")} in the default one.
Try every route on ${link(`${addresses.docs_url}/control`, "the docs site")}; for programs there is ${link("/__mock/openapi.json", "an OpenAPI document")}.</p>
<h2>Routes</h2>
<table>${routes.join("\n")}</table>
<h2>Events, for <code>POST /worlds/{id}/drive/{event}</code></h2>
<table>${events.join("\n")}</table>
</body>
</html>
`;
}

/** A route; one that can be read as it stands is a link, in the default world. */
function routeOf(on: string): string {
  const [method, path = ""] = on.split(" ");
  const text = escaped(on);
  const target = path.replace("{id}", "default");
  return method === "GET" && !target.includes("{") ? link(`/__mock${target === "/" ? "" : target}`, on) : text;
}

function link(href: string, text: string): string {
  return `<a href="${escaped(href)}">${escaped(text)}</a>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
