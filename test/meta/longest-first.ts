import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Test files that run for seconds and mostly wait, the longest first. `--reporter=json` prints the times. */
const waiting = [
  "mock/cluster/store/acquire/takeover",
  "mock/cluster/workers/supervisor",
  "cli/mock/workers",
  "browser/console",
  "browser/console-looks",
  "cli/program/bad-starts",
  "engine/run/watch/watch",
  "cli/mock",
  "cli/mock/flood",
  "mock/cluster/store/redis/trouble",
  "engine/run/verify/side-by-side",
  "engine/http/event-stream",
  "engine/run/verify/duration",
  "engine/run/progress",
  "engine/execute/confirm/shared",
  "engine/execute/confirm/outages",
  "mock/docs/serve/published-document",
  "cli/verify/bad-certificates",
  "mock/worlds/worlds",
];

/** Test files that keep a core busy for seconds, the longest first. */
const busy = [
  "engine/second-opinion/wire",
  "meta/mock-conforms",
  "mock/cluster/store/redis/random-faults",
  "engine/run/judge-bundle",
  "reference/reference",
  "meta/guide",
  "engine/run/resume",
  "package/package",
  "meta/varied-mock-conforms",
  "engine/run/verify/kept-sessions",
  "mutants/mutants",
  "cli/proxy",
  "vitest/conformance",
  "suite/laws/laws",
  "engine/run/verify/hostile",
  "engine/run/plan",
  "engine/run/verify/two-runs",
  "cli/client-report",
  "meta/house",
  "cli/program/files",
  "common/escape",
  "engine/run/judge-bundle/names-that-repeat",
  "mock/call/rest/fields",
  "browser/explorer",
  "suite/fuzz/rest/apply-fault",
  "suite/model/exploration",
  "meta/one-fault",
  "suite/laws/laws/faulty-servers",
  "mock/call/rest/query",
];

/** One of the three workers usually waits, so the other two keep two cores busy. */
export const order: readonly string[] = [
  ...waiting.flatMap((name, at) => [name, ...busy.slice(2 * at, 2 * at + 2)]),
  ...busy.slice(2 * waiting.length),
].map((name) => `/test/${name}.test.ts`);

/** Starts the files that run for seconds first, so that the workers end at the same time. Vitest requires a class. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = order.findIndex((end) => moduleId.endsWith(end));
  return rank === -1 ? order.length : rank;
}
