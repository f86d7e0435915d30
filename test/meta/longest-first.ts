import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take seconds and mostly wait, the longest first. `--reporter=json` gives the times. */
const waiting = [
  "mock/cluster/store/acquire/takeover",
  "mock/cluster/workers/supervisor",
  "cli/workers",
  "browser/console",
  "browser/console-looks",
  "cli/bad-starts",
  "engine/run/watch/watch",
  "cli/mock",
  "cli/flood",
  "mock/cluster/store/redis/trouble",
  "engine/run/side-by-side",
  "engine/execute/streams",
  "engine/run/duration",
  "engine/run/progress",
  "engine/execute/shared",
  "engine/execute/outages",
  "mock/docs/serve/published-document",
  "cli/bad-certificates",
  "mock/worlds/worlds",
];

/** Files that take seconds and keep a core busy, the longest first. */
const busy = [
  "engine/second-opinion/wire",
  "meta/mock-conforms",
  "mock/cluster/store/redis/random-faults",
  "engine/run/judge-bundle",
  "reference/reference",
  "meta/readme",
  "engine/run/resume",
  "package/package",
  "meta/varied-mock-conforms",
  "engine/run/kept-sessions",
  "mutants/mutants",
  "cli/proxy",
  "vitest/conformance",
  "suite/laws/laws",
  "engine/run/hostile",
  "engine/run/plan",
  "engine/run/together",
  "cli/client-report",
  "meta/house",
  "cli/files",
  "common/escape",
  "engine/run/judge-strictly",
  "mock/call/rest/fields",
  "browser/explorer",
  "suite/fuzz/one-fault",
  "suite/model/exploration",
  "meta/one-fault",
  "suite/laws/planted",
  "mock/call/rest/query",
];

/** At each time about one of the three workers waits, so that the other two keep two cores busy. */
const order = [
  ...waiting.flatMap((name, at) => [name, ...busy.slice(2 * at, 2 * at + 2)]),
  ...busy.slice(2 * waiting.length),
].map((name) => `/test/${name}.test.ts`);

/** Sorts the files that take seconds to the front, so that the workers end together. Vitest takes a class. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = order.findIndex((end) => moduleId.endsWith(end));
  return rank === -1 ? order.length : rank;
}
