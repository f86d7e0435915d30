import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { MAX_PARALLEL_SCENARIOS } from "../../../../src/engine/execute/scenarios.js";
import { verify } from "../../../../src/engine/run/verify.js";
import { suite } from "../../../../src/suite/suite.js";

/**
 * Prints the files of `src` in which a run enters a function for one scenario: a JSON list. The run executes copies of the scenario, some at the
 * same time. The files are counted from the end of the first copy to the end of the last, which includes a whole copy.
 */
const copies = MAX_PARALLEL_SCENARIOS + 2;
const text = (copy: number) => `scenario: copy-${copy}
title: A submitted job can be read
proves: [JOB-SUBMIT-CREATED]
steps:
  - rest: POST /api/repos/{repo}/jobs
    json: { workflow: audit, params: {} }
    expect: { status: 201 }
    save: { job: /id }
  - rest: GET /api/jobs/{job}
    expect: { status: 200 }
`;

interface Coverage {
  result: { url: string; functions: { functionName: string; ranges: { count: number }[] }[] }[];
}

// in another thread, whose functions the profiler does not see
const server = new URL("../../../../src/mock/server.js", import.meta.url).href;
const started = `import("${server}").then(async ({ startMock }) => {
  const { parentPort } = require("node:worker_threads");
  parentPort.postMessage((await startMock({ clock: "frozen" })).api_url);
})`;
const worker = new Worker(started, { eval: true });
const [url] = (await once(worker, "message")) as [string];

const directory = mkdtempSync(join(tmpdir(), "files-entered-"));
for (let copy = 1; copy <= copies; copy++) writeFileSync(join(directory, `copy-${copy}.yaml`), text(copy));

const profiler = new Session();
profiler.connect();
profiler.post("Profiler.enable");
let files: string[] = [];
let done = 0;
const { report, messages } = await verify(suite, {
  url,
  scenarios: directory,
  seed: 1,
  onProgress() {
    done += 1;
    if (done === 1) profiler.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    if (done === copies)
      profiler.post("Profiler.takePreciseCoverage", (_, coverage) => {
        files = filesEntered(coverage as unknown as Coverage);
      });
  },
});
if (!report?.checks.every(({ verdict }) => verdict === "passed")) throw new Error(JSON.stringify(report?.checks ?? messages));
console.log(JSON.stringify(files));
rmSync(directory, { recursive: true });
await worker.terminate();

function filesEntered({ result }: Coverage): string[] {
  return result
    .filter(({ functions }) => functions.some(({ functionName, ranges }) => functionName !== "" && (ranges[0]?.count ?? 0) > 0))
    .flatMap(({ url }) => /\/dist\/(src\/.*)\.js$/.exec(url)?.[1] ?? [])
    .sort();
}
