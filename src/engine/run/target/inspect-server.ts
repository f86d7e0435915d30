import type { Run } from "../../execute/run.js";
import { parseBodyJson } from "../../http/exchange.js";
import { checkAddress } from "../../preflight/address.js";
import { probe, readRequest } from "../../preflight/probe.js";
import { findReadableRepos } from "../../preflight/readable-repos.js";
import { examineTools } from "../../preflight/tool-server.js";
import { type ListedTool, listTools } from "../../preflight/tools.js";
import { isRecord } from "../../scenario/interpolate.js";
import type { Suite } from "../../suite.js";
import { createSharedEnvironment } from "../../target/environment.js";
import { findAddressMistake, isLoopback, normalizeAddress } from "../../target/normalize.js";
import { runWithTarget, startRun } from "../connect.js";
import type { RunResult, VerifyOptions } from "../options.js";
import type { EntryCheck } from "./check-credentials.js";
import { checkRole } from "./check-credentials.js";
import { lookAtTools } from "./look-at-tools.js";
import { type ProposedTool, proposeTools } from "./propose-tools.js";

/** The facts about a server for a target file. */
export interface TargetDraft {
  api: string;
  app?: string | undefined;
  docs?: string | undefined;
  /** The tool server, and why it lists no tools. */
  mcp: { url: string; why?: string };
  /** Roles with a key, and the environment variable of each key. */
  keys: readonly { role: string; variable: string; found: EntryCheck }[];
  repos: readonly string[];
  tools: readonly ProposedTool[];
  /** All tools that the server lists. */
  listedTools: readonly ListedTool[];
  bindings: Readonly<Record<string, { value: unknown; from: string }>>;
  /** Messages about parts of the given addresses that were corrected, and about checks that stopped early. */
  notes: readonly string[];
}

/** The addresses and keys that the user gives. */
export interface InspectOptions extends Pick<VerifyOptions, "url" | "key" | "env"> {
  app?: string;
  docs?: string;
}

/** Inspects a server with reads and lists only: its hosts, tools, `repos`, and the scopes of the given keys. */
export async function inspectServer(suite: Suite, options: InspectOptions): Promise<TargetDraft | RunResult> {
  for (const [option, address] of Object.entries({ "--app-url": options.app, "--docs-url": options.docs })) {
    const mistake = findAddressMistake(address ?? "");
    if (mistake !== undefined) return { exitCode: 2, messages: [`${option}: ${mistake}`] };
  }
  const runOptions: VerifyOptions = { ...options, profile: "read-only", selfDescription: false, maxWait: 60 };
  return runWithTarget<TargetDraft>(suite, runOptions, async (target, wire) => {
    const run = startRun(suite, runOptions, target, wire);
    const stop = await checkAddress({ run, rules: suite });
    if (stop) return { exitCode: stop.exitCode, messages: [stop.why, ...(target.corrections ?? [])] };
    const { api, mcp = "" } = target.urls;
    const key = target.keys[suite.defaultRole];
    const keys = await inspectKeys(suite, run, options.env ?? process.env);
    const own = keys.find(({ role }) => role === suite.defaultRole);
    if (own?.found.state === "wrong")
      return { exitCode: 2, messages: [`${own.found.message}: give a valid key with --key or COUNTERPART_KEY`] };
    const docs = await findDocs(suite, run, options.docs);
    const spoken = await examineTools({ run, rules: suite });
    const result =
      key === undefined
        ? { ok: false as const, why: "no key was given" }
        : await listTools(run, createSharedEnvironment(spoken), key);
    const all = result.ok ? result.tools : [];
    const repos = key === undefined ? [] : await findReadableRepos(suite.preflight, run, key);
    const look = key === undefined ? undefined : await lookAtTools(suite, all, { run, target: spoken, key, repos });
    const tools = suite.target.names ? proposeTools(suite.target.names, all, look?.found) : [];
    const unfinished =
      look?.stopped === undefined
        ? []
        : [
            `Not all tools were called to see their answers: ${look.stopped}. The others are matched by their arguments and names.`,
          ];
    return {
      api,
      app: options.app === undefined ? undefined : normalizeAddress(options.app).value,
      docs: docs?.url,
      mcp: { url: mcp, ...(!result.ok && { why: result.why }) },
      keys,
      repos,
      tools,
      listedTools: all,
      bindings: { ...readDocumentedBindings(suite, docs), ...(await readShownBindings(suite, run, key, repos[0])) },
      notes: [...(target.corrections ?? []), ...unfinished],
    };
  });
}

/** Checks the keys in the environment with reads. */
async function inspectKeys(
  suite: Suite,
  run: Run,
  env: Readonly<Record<string, string | undefined>>,
): Promise<TargetDraft["keys"]> {
  const found: TargetDraft["keys"][number][] = [];
  for (const role of Object.keys(suite.target.names?.keys ?? {})) {
    const isDefault = role === suite.defaultRole;
    const variable = isDefault ? "COUNTERPART_KEY" : `COUNTERPART_KEY_${role.toUpperCase()}`;
    const key = isDefault ? run.target.keys[role] : env[variable];
    if (key === undefined || key === "") continue;
    run.mask.add(key);
    found.push({ role, variable, found: await checkRole(suite, run, role, key) });
  }
  return found;
}

/** Returns the docs host: the given one, or the first address derived from the API host that serves an OpenAPI document. Sends no credentials. */
async function findDocs({ preflight }: Suite, run: Run, named?: string): Promise<{ url: string; document: unknown } | undefined> {
  const given = named === undefined ? undefined : normalizeAddress(named, preflight.docsPath).value.replace(/(?<!\/)\/+$/, "");
  for (const url of given === undefined ? listDocsCandidates(run.target.urls.api) : [given]) {
    const { response } = await run.wire.send(readRequest(url, preflight.docsPath), run.signal);
    const body = response?.status === 200 ? parseBodyJson(response) : undefined;
    if (body?.ok && isRecord(body.value) && typeof body.value.openapi === "string") return { url, document: body.value };
  }
  return given === undefined ? undefined : { url: given, document: undefined };
}

/** Returns the usual addresses of a docs site: the next ports on this machine, or the host `docs.` of the same domain. */
function listDocsCandidates(api: string): string[] {
  const { protocol, hostname, port } = new URL(api);
  if (isLoopback(hostname))
    return [api, `${api}/docs`, ...[1, 2].map((step) => `${protocol}//${hostname}:${Number(port) + step}`)];
  const parent = hostname.replace(/^api\./, "");
  return [api, `${api}/docs`, `${protocol}//docs.${parent}`];
}

function readDocumentedBindings(
  { preflight }: Suite,
  docs: { url: string; document: unknown } | undefined,
): TargetDraft["bindings"] {
  const read = docs?.document === undefined ? {} : (preflight.look?.documented(docs.document) ?? {});
  return Object.fromEntries(
    Object.entries(read).map(([name, value]) => [name, { value, from: `from the document at ${docs?.url}` }]),
  );
}

async function readShownBindings({ preflight }: Suite, run: Run, key?: string, repo?: string): Promise<TargetDraft["bindings"]> {
  const found: Record<string, { value: unknown; from: string }> = {};
  for (const { binding, path, read } of key === undefined || repo === undefined ? [] : (preflight.look?.shown ?? [])) {
    const result = await probe(run, readRequest(run.target.urls.api, path(repo ?? ""), key));
    const body = "response" in result && result.response.status === 200 ? parseBodyJson(result.response) : undefined;
    const value = body?.ok ? read(body.value) : undefined;
    if (value !== undefined) found[binding] = { value, from: "from an answer of the server" };
  }
  return found;
}
