import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Mock, startMock } from "../../../../src/index.js";
import { describeWith } from "../../../meta/needs.js";
import { send } from "../../client.js";

interface Operation {
  "x-rate-limit"?: unknown;
}

let mock: Mock;
let document: { openapi: string; paths: Record<string, Record<string, Operation>> };

beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
  document = (await send(`GET ${mock.docs_url}/openapi.json`)).json;
});
afterAll(() => mock.close());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([word]) => word !== "parameters" && word !== "servers")
      .map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
  );

describe("the document of the docs host", () => {
  it("is valid OpenAPI 3.1 to a validator of schemas", async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
    expect(document.openapi).toBe("3.1.0");
  });

  it("is OpenAPI 3.0 with ?version=3.0, and refuses a version that it does not have", async () => {
    const validator = new Validator();
    const { json } = await send(`GET ${mock.docs_url}/openapi.json?version=3.0`);
    expect(await validator.validate(structuredClone(json))).toEqual({ valid: true });
    expect([validator.version, json.servers]).toEqual(["3.0", [{ url: mock.api_url, description: "This mock" }]]);
    expect((await send(`GET ${mock.docs_url}/openapi.json?version=3.1`)).json).toEqual(document);
    const refusal = await send(`GET ${mock.docs_url}/openapi.json?version=2.0`);
    expect([refusal.status, refusal.json.error.message]).toEqual([400, "version: no such version of OpenAPI. Use 3.0 or 3.1."]);
  });

  it("has the requests a minute of each operation with a bucket, and of no other", () => {
    const rated = operations().flatMap(({ name, operation }) =>
      "x-rate-limit" in operation ? [[name, operation["x-rate-limit"]]] : [],
    );
    // DOCS-RATE-VALUES: the numbers of the contract
    const repo = "/api/repos/{org}/{repository}/{ref_name}";
    expect(Object.fromEntries(rated)).toEqual({
      "POST /api/repos": { rpm: 10 },
      "GET /api/repos": { rpm: 60 },
      [`POST ${repo}/jobs`]: { rpm: 30 },
      "POST /api/jobs/{job_id}/retry": { rpm: 30 },
      [`GET ${repo}/jobs`]: { rpm: 120 },
      [`POST ${repo}/reset`]: { rpm: 5 },
      "POST /api/observations/{ref}/fix": { rpm: 30 },
      "POST /api/observations/{ref}/publish-ticket": { rpm: 30 },
      "POST /api/observations/{ref}/dismiss": { rpm: 60 },
      "POST /api/observations/{ref}/reopen": { rpm: 60 },
      "POST /api/observations/{ref}/complete": { rpm: 60 },
      "POST /api/observations/{ref}/acknowledge": { rpm: 60 },
    });
  });

  it("has other names for the three segments of a repository than the contract", () => {
    const ofRepos = operations().filter(({ path }) => path.startsWith("/api/repos/"));
    expect(ofRepos.length).toBe(9);
    for (const { path } of ofRepos) {
      const [, , , ...segments] = path.split("/");
      expect(segments.slice(0, 3)).toEqual(Array(3).fill(expect.stringMatching(/^\{\w+\}$/)));
      expect(path).not.toMatch(/\{(owner|repo|branch)\}/);
    }
  });
});

const prism = findPrism();

describeWith({ name: "@stoplight/prism-cli", found: prism !== null }, "Prism on the document of the docs host", () => {
  let server: Prism;
  beforeAll(async () => {
    server = await startPrism(prism!, document);
  });
  afterAll(() => server.stop());

  it("finds every operation", () => {
    const found = server.listed.map((line) => operations().find(({ name }) => matches(name, line))?.name ?? line);
    expect(found.sort()).toEqual(
      operations()
        .map(({ name }) => name)
        .sort(),
    );
  });

  const calls: [string, string, object, number][] = [
    ["refuses a call without a key", "GET /api/jobs", {}, 401],
    ["answers one with a key", "GET /api/jobs", { key: "any" }, 200],
    ["refuses a page of more than 200", "GET /api/jobs?limit=201", { key: "any" }, 422],
    ["refuses a note of fewer than 10 characters", "POST /api/observations/SERVICE-1/dismiss", dismissal("too short"), 422],
    ["takes one of 10", "POST /api/observations/SERVICE-1/dismiss", dismissal("ten chars."), 200],
  ];
  it.each(calls)("%s", async (_, line, sent, status) => {
    const [method, path] = line.split(" ");
    expect((await send(`${method} ${server.url}${path}`, sent)).status).toBe(status);
  });
});

function dismissal(dismissal_note: string): object {
  return { key: "any", json: { dismissal_category: "stale", dismissal_note } };
}

/** Whether an operation's template (`GET /api/jobs/{job_id}`) fits a listed line (`GET /api/jobs/est?limit=1`). */
function matches(template: string, line: string): boolean {
  const pattern = template.replaceAll(/\{\w+\}/g, "[^/?]+");
  return new RegExp(`^${pattern}(\\?.*)?$`).test(line);
}

/** A running Prism: its address, and the operations that it printed. */
interface Prism {
  url: string;
  listed: string[];
  stop(): void;
}

function findPrism(): string | null {
  try {
    return createRequire(import.meta.url).resolve("@stoplight/prism-cli");
  } catch {
    return null;
  }
}

/** Starts Prism's own stand-in on a document; throws with its words when it cannot read it. */
async function startPrism(cli: string, openapi: object): Promise<Prism> {
  const folder = mkdtempSync(join(tmpdir(), "counterpart-prism-"));
  const file = join(folder, "openapi.json");
  writeFileSync(file, JSON.stringify(openapi));
  const child = spawn(process.execPath, [cli, "mock", "--host", "127.0.0.1", "--port", "0", file], { stdio: "pipe" });
  const stop = () => {
    child.kill();
    rmSync(folder, { recursive: true });
  };
  try {
    return { ...(await readUntilListening(child)), stop };
  } catch (error) {
    stop();
    throw error;
  }
}

async function readUntilListening(child: ChildProcess): Promise<Omit<Prism, "stop">> {
  const messages: string[] = [];
  child.stderr!.on("data", (chunk) => messages.push(String(chunk)));
  const listed: string[] = [];
  for await (const line of createInterface(child.stdout!)) {
    messages.push(line);
    const operation = /\b([A-Z]+) +http:\/\/[^/]+(\/\S*)/.exec(line);
    if (operation) listed.push(`${operation[1]} ${operation[2]}`);
    const url = /listening on (http:\S+)/.exec(line)?.[1];
    if (url) return { url, listed };
  }
  throw new Error(`Prism did not start: ${messages.join("\n")}`);
}
