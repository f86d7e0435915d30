import { quoteForShell } from "../../common/escape/shell.js";
import { formatJson } from "../../common/escape/visible.js";
import type { World } from "../../service/world/world.js";
import type { MockContext } from "../context.js";
import { buildWorldInfo } from "../worlds/worlds.js";

interface Operation {
  operationId: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, Media> };
  responses?: Record<string, { content?: Record<string, Media> }>;
  "x-rate-limit"?: { rpm: number };
}

interface Media {
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  example?: unknown;
}

interface OpenApi {
  paths: Record<string, Record<string, Operation | object[]>>;
  components: { parameters: Record<string, Parameter> };
}

/** A valid body for each operation whose schema alone suggests a refused or harmful body. */
const bodies: Record<string, object> = {
  submitJob: { workflow: "audit", params: {} },
  registerRepo: { owner: "octocat", repo: "hello-world", branch: "main", access_mode: "installed" },
  resetRepo: { suggestions: true },
  dismissObservation: { dismissal_category: "false_positive", dismissal_note: "Checked by hand: the input is trusted." },
  reopenObservation: { reopen_reason: "It is back." },
  completeObservation: { url: "https://example.com/proof", note: "Resolved by hand." },
  publishTicket: {},
  createKey: { name: "ci", scopes: ["view_jobs"] },
  patchKey: { requests_per_minute: 60 },
};

/**
 * Returns the published document for the page. Parameters and bodies have values of the default world, so each call can be sent. Rate
 * limits are badges. If a browser cannot send a call, the page shows a curl line.
 */
export function buildExplorerDocument(context: MockContext, published: object): object {
  const document = structuredClone(published) as OpenApi;
  const examples = findExamples(context.worlds.default.world);
  for (const parameter of Object.values(document.components.parameters)) fillExamples(parameter, examples);
  for (const [path, item] of Object.entries(document.paths)) {
    const url = context.addresses.app_url + path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => examples[name] ?? whole);
    for (const [method, operation] of Object.entries(item)) {
      if ("operationId" in operation) annotate(context, operation, `${method.toUpperCase()} ${url}`);
    }
  }
  return document;
}

/** Gives every required parameter a valid value. Optional parameters stay empty, because the page sends every value. */
function fillExamples(parameter: Parameter, examples: Record<string, string | undefined>): void {
  if (!parameter.required) delete parameter.example;
  else if (parameter.in === "path" && examples[parameter.name]) parameter.example = examples[parameter.name];
}

function annotate(context: MockContext, operation: Operation, line: string): void {
  const body = bodies[operation.operationId];
  const limit = operation["x-rate-limit"];
  for (const parameter of operation.parameters ?? []) if ("in" in parameter) fillExamples(parameter, {});
  if (limit) Object.assign(operation, { "x-badges": [{ label: `${limit.rpm} requests a minute`, color: "blue" }] });
  for (const media of Object.values(operation.requestBody?.content ?? {})) {
    delete media.example;
    if (body) Object.assign(media, { examples: { accepted: { value: body } } });
  }
  for (const { content = {} } of Object.values(operation.responses ?? {}))
    for (const media of Object.values(content)) nameOperation(media);
  if (operation.security?.some((needed) => "session" in needed)) operation.description += buildSignInHint(context, line, body);
}

/** Names the example of a body. Without a name, the page takes its fields for separate examples. */
function nameOperation(media: Media): void {
  if (media.example === undefined) return;
  media.examples = { example: { value: media.example } };
  delete media.example;
}

/** KEY-CREATE-ADMIN: these routes need the cookie of the app host. A page of another host cannot send it. */
function buildSignInHint({ worlds, adminToken }: MockContext, line: string, body: object | undefined): string {
  const cookie = adminToken === null ? Object.values(buildWorldInfo(worlds.default).sessions)[0] : undefined;
  const data = body ? ` -H 'Content-Type: application/json' -d ${quoteForShell(formatJson(body))}` : "";
  return (
    "\n\nOnly for people signed in at the app host, so calls from this page are refused. From a terminal:\n\n" +
    `\`\`\`\ncurl -X ${line} -H ${quoteForShell(`Cookie: ${cookie ?? "session=…"}`)}${data}\n\`\`\``
  );
}

/** A valid value for each path parameter, by its published name. */
function findExamples({ workspaces, repos, jobs, observations, keys }: World): Record<string, string | undefined> {
  const first = Object.keys(workspaces)[0];
  const own = <Row extends { workspace: string }>(rows: Record<string, Row>) =>
    Object.values(rows).filter(({ workspace }) => workspace === first);
  const repo = own(repos).find(({ deleted_at }) => deleted_at === null);
  // a failed job can be read and retried
  const job = own(jobs).find(({ status }) => status === "failed") ?? own(jobs)[0];
  const observation = own(observations).find(({ status }) => status === "new");
  return {
    org: repo?.owner,
    repository: repo?.repo,
    ref_name: repo?.branch,
    job_id: job?.id,
    ref: observation?.ref,
    key_id: own(keys)[0]?.id,
  };
}
