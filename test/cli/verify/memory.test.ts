import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { type Handler, serve } from "../../engine/server.js";
import { exhaustive } from "../../meta/sample.js";
import { main } from "../counterpart.js";

const MB = 1024 * 1024;
const LISTS = ["page-limit", "page-lists", "json-response", "mcp-protocol"];
const WALK_TEXT =
  "scenario: walk\ntitle: A walk to the last page\nproves: [JOB-RETRY-NEW]\nsteps:\n  - { rest: GET /api/jobs, allPages: true, expect: { status: 200 } }\n";
/** Tells at the end how much memory the process ever held. */
const MEMORY_REPORTER = 'process.on("exit",()=>process.stderr.write("peak "+process.resourceUsage().maxRSS))';
const directory = mkdtempSync(join(tmpdir(), "memory-"));
afterAll(() => rmSync(directory, { recursive: true }));

type Flood = (response: ServerResponse) => void;

/**
 * Verifies a server that gives this response to every request, with some scenarios. Returns the exit code, the output, and the highest
 * memory use in
 * MB.
 */
async function examine(scenarios: readonly string[], serverResponse: Flood) {
  const nobody = { error: { type: "authentication_error", code: "missing_key", message: "who?", request_id: "r" } };
  const handler: Handler = ({ headers }, serviceResponse, response) =>
    headers.authorization ? serverResponse(response) : serviceResponse(401, nobody);
  const server = await serve(handler);
  const target = join(directory, "target.yaml");
  writeFileSync(
    target,
    `base_url: ${server.url}\nrepos: [acme/demo/main]\ntiming: { request_timeout_s: 3 }\nallow: { paid: true }\n`,
  );
  const only = scenarios.flatMap((name) => ["--only", name]);
  const preloadModule = ["--import", `data:text/javascript,${encodeURIComponent(MEMORY_REPORTER)}`];
  const args = [
    ...preloadModule,
    main,
    "verify",
    "--target",
    target,
    "--out",
    join(directory, "out"),
    "--max-wait",
    "1",
    ...only,
  ];
  try {
    return await new Promise<{ code: number; out: string; peakMB: number }>((resolve) => {
      execFile(process.execPath, args, { env: { ...process.env, COUNTERPART_KEY: "some-key" } }, (error, out, err) => {
        resolve({ code: Number(error?.code ?? 0), out, peakMB: Number(/peak (\d+)/.exec(err)?.[1]) / 1024 });
      });
    });
  } finally {
    await server.close();
  }
}

/** Writes the same piece a number of times, or until the client is gone, as fast as the client reads. */
function writeForever(response: ServerResponse, piece: Buffer, times = Number.POSITIVE_INFINITY): void {
  for (let n = 0; n < times; n++) {
    if (response.destroyed) return;
    if (!response.write(piece)) return void response.once("drain", () => writeForever(response, piece, times - n - 1));
  }
  response.end();
}

const events = { "content-type": "text/event-stream" };
const WALK = [join(directory, "walk.yaml")];
writeFileSync(WALK[0] as string, WALK_TEXT);
const json = { "content-type": "application/json" };
const zeros = Buffer.alloc(100 * MB, "0");
const [gzipBomb, brotliBomb] = [gzipSync(zeros), brotliCompressSync(zeros)];
const row = Buffer.from(`${'{"id":"j1","status":"pending","x":[[],{}]},'.repeat(1000)}`);

/** One after the other, again and again. */
const floods: Flood[] = [
  (response) => writeForever(response.writeHead(200, json), Buffer.alloc(MB, " "), 100),
  (response) => void response.writeHead(200, { ...json, "content-encoding": "gzip" }).end(gzipBomb),
  (response) => void response.writeHead(200, { ...json, "content-encoding": "br" }).end(brotliBomb),
  (response) => writeForever(response.writeHead(200, json), Buffer.alloc(64 * 1024, "a")),
  (response) => writeForever(response.writeHead(200, events), Buffer.from(": ping\n\n".repeat(1000))),
  (response) => writeForever(response.writeHead(200, events), Buffer.from("data: x\n".repeat(1000))),
];

const endlessPages: Flood = (response) => {
  response.writeHead(200, json).write('{"data":[');
  for (let n = 0; n < 5 * MB; n += row.length) response.write(row);
  response.end(`{}],"next_cursor":"${Math.random()}"}`);
};

test.runIf(exhaustive)("memory stays bounded for every response", { timeout: 170_000 }, async () => {
  const calm = await examine([...LISTS, ...WALK], (response) =>
    response.writeHead(200, json).end('{"data":[],"next_cursor":null}'),
  );
  let n = 0;
  const flooded = await examine(LISTS, (response) => (floods[n++ % floods.length] as Flood)(response));
  const walked = await examine(WALK, endlessPages);
  expect(n).toBeGreaterThan(2 * floods.length);
  for (const [{ code, out, peakMB }, max] of [
    [flooded, 200],
    [walked, 400],
  ] as const) {
    expect([code, out]).toEqual([3, expect.stringContaining("larger than")]);
    expect(peakMB - calm.peakMB).toBeLessThan(max);
  }
  const [before, ...after] = [calm, flooded, walked].map(({ peakMB }) => `${Math.round(peakMB)} MB`);
  console.log(`most memory: calm ${before}, flooded ${after[0]}, on a walk without end ${after[1]}`);
});
