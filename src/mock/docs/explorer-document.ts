import type { World } from "../../service/world.js";
import type { Site } from "../site.js";

interface Operation {
  operationId: string;
  description?: string;
  security?: Record<string, string[]>[];
  requestBody?: { content: Record<string, object> };
  "x-rate-limit"?: { rpm: number };
}

interface OpenApi {
  info: { title: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: { parameters: Record<string, { name: string; in: string }> };
}

/** A body that the service accepts, for operations whose schema alone would suggest one that it refuses or that does harm. */
const bodies: Record<string, object> = {
  submitJob: { workflow: "audit", params: {} },
  registerRepo: { owner: "octocat", repo: "hello-world", branch: "main", access_mode: "installed" },
  resetRepo: { suggestions: true },
  dismissObservation: { dismissal_category: "false_positive", dismissal_note: "Checked by hand: the input is trusted." },
  reopenObservation: { reopen_reason: "It is back." },
  completeObservation: { url: "https://example.com/proof", note: "Resolved by hand." },
  publishTicket: {},
};

/**
 * The published document as the page shows it: parameters and bodies filled with what exists in the default world, so that a call can
 * be sent as it stands; rate limits as badges; and where a browser cannot call, the line that can.
 */
export function explorerDocument(site: Site, published: object): object {
  const document = structuredClone(published) as OpenApi;
  document.info.title = "Counterpart";
  const examples = examplesOf(site.worlds.default.world);
  for (const parameter of Object.values(document.components.parameters)) {
    if (parameter.in === "path" && examples[parameter.name]) Object.assign(parameter, { example: examples[parameter.name] });
  }
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if ("operationId" in operation) annotate(operation, `${method.toUpperCase()} ${site.addresses.app_url}${path}`);
    }
  }
  return document;
}

function annotate(operation: Operation, line: string): void {
  const { operationId, requestBody, security } = operation;
  const limit = operation["x-rate-limit"];
  if (limit) Object.assign(operation, { "x-badges": [{ label: `${limit.rpm} a minute`, color: "blue" }] });
  for (const media of Object.values(requestBody?.content ?? {})) {
    if (bodies[operationId]) Object.assign(media, { example: bodies[operationId] });
  }
  if (security?.some((needed) => "session" in needed)) operation.description += sessionHint(line);
}

function sessionHint(line: string): string {
  return `\n\nOnly a person signed in at the app host may do this; a page cannot send that cookie, a terminal can:\n\n\`curl -H 'Cookie: session=owner' -X ${line}\``;
}

/** A value that exists for each path parameter, under its published name. */
function examplesOf(world: World): Record<string, string | undefined> {
  const workspace = Object.keys(world.workspaces)[0];
  const repo = Object.values(world.repos).find((one) => one.workspace === workspace && one.deleted_at === null);
  const job = Object.values(world.jobs).find((one) => one.workspace === workspace);
  const observation = Object.values(world.observations).find((one) => one.workspace === workspace && one.status === "new");
  return { org: repo?.owner, repository: repo?.repo, ref_name: repo?.branch, job_id: job?.id, ref: observation?.ref };
}
