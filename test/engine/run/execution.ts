import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { type VerifyOptions, verify } from "../../../src/engine/run/verify.js";
import { suite } from "../../../src/suite/suite.js";
import { type Handler, serve } from "../server.js";

/** The bearer key that the runner is given. */
export const KEY = "secret-key-that-must-not-show";
const directories: string[] = [];
const servers: { close(): Promise<void> }[] = [];

/** Takes away after each test of a file what `execution` and `directory` made. */
export function removeDirectories(): void {
  afterEach(async () => {
    for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });
}

/** A directory of these files. */
export function directory(files: Record<string, string> = {}): string {
  const path = mkdtempSync(join(tmpdir(), "runner-"));
  directories.push(path);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

/** The text of a scenario. */
export const scenario = (steps: string, head = "proves: [JOB-RETRY-NEW]") =>
  `scenario: under-test\ntitle: A scenario of the runner's own tests\n${head}\nsteps:\n${steps}`;

/** Runs one scenario, and those in `others`, against a server with this handler. */
export async function execution(
  handler: Handler,
  yaml: string,
  options: VerifyOptions & { targetText?: (url: string) => string } = {},
  others: Record<string, string> = {},
) {
  const server = await serve(handler);
  servers.push(server);
  const { targetText = () => "repos: [acme/demo/main]\nallow: { paid: true, destructive: true }", ...rest } = options;
  const files = directory({ "target.yaml": `base_url: ${server.url}\nexclusive: true\n${targetText(server.url)}\n` });
  const scenarios = directory({ "one.yaml": yaml, ...others });
  const result = await verify(suite, {
    target: join(files, "target.yaml"),
    key: KEY,
    scenarios,
    only: ["under-test*"],
    maxWait: 0.1,
    preflight: false,
    ...rest,
  });
  if (!result.report) throw new Error(result.messages.join("\n"));
  return { ...result, report: result.report, received: server.received.filter(({ path }) => path !== "/") };
}

/** Answers all with a job that is an empty list too. */
export const OK: Handler = (_, response) => response(200, { id: "j1", data: [] });
/** An error envelope. */
export const refusal = { error: { type: "conflict", code: "conflict", message: "no", request_id: "r1" } };
