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
  "mock/cluster/store/open",
  "conformance/conformance",
  "mock/cluster/store/scripts/lost-responses",
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
  "suite/laws/laws/faulty-servers",
  "mock/server/many-names",
  "engine/run/resume",
  "mutants/mutants",
  "engine/run/verify/two-runs",
  "meta/guide",
  "meta/one-fault",
  "reference/reference",
  "engine/run/verify/hostile",
  "suite/model/exploration",
  "engine/second-opinion/wire",
  "engine/run/judge-bundle",
  "meta/mock-conforms",
  "package/package",
  "meta/house",
  "vitest/conformance",
  "common/outcomes",
  "suite/laws/limits/rate-bounds",
  "suite/target/binding-proofs",
  "mock/call/rest/fields",
  "engine/run/plan",
  "suite/laws/laws/faulty-servers",
  "common/masking/message-mask/over-masking",
  "engine/run/verify/kept-sessions",
  "reference/rpc-2026",
  "common/escape",
  "mock/cluster/store/redis/random-faults",
  "mock/call/rest/query",
  "cli/proxy",
  "mock/call/rest/paths",
  "meta/determinism",
  "suite/laws/laws",
  "meta/varied-mock-conforms",
  "reference/permissive",
  "soak/soak",
  "cli/client-report",
  "reference/cancelling",
  "clients/generated-client",
  "cli/program/files",
  "engine/run/judge-bundle/names-that-repeat",
  "browser/explorer",
  "suite/fuzz/rest/apply-fault",
];

/** One of the three workers usually waits, so the other two keep two cores busy. */
export const order: readonly string[] = [
  ...waiting.flatMap((name, at) => [name, ...busy.slice(2 * at, 2 * at + 2)]),
  ...busy.slice(2 * waiting.length),
].map((name) => `/test/${name}.test.ts`);

/** Starts the files that run for seconds first, so that the workers end at the same time. Vitest requires a class. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => getRank(a) - getRank(b));
  }
}

function getRank({ moduleId }: TestSpecification): number {
  const rank = order.findIndex((end) => moduleId.endsWith(end));
  return rank === -1 ? order.length : rank;
}
