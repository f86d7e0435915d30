import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take seconds, the longest first; which they are `--reporter=json` says. */
const longest = [
  "engine/second-opinion/wire",
  "mock/cluster/workers/workers",
  "mock/cluster/store/takeover",
  "mock/cluster/workers/hang",
  "mock/cluster/store/random-faults",
  "mock-conforms",
  "reference/reference",
  "engine/run/judge-bundle",
  "package/package",
  "mutants/mutants",
  "mock/cluster/store/fleet",
  "engine/run/hostile",
  "engine/run/resume",
  "browser/console",
  "browser/console-looks",
  "browser/explorer",
  "mock/side-by-side",
  "cli/stopped",
  "cli/flood",
  "vitest/conformance",
  "one-fault",
  "engine/evidence/trace/replay",
  "mock/call/bad-input/query",
  "mock/call/bad-input/fields",
  "readme",
  "house",
  "suite/model/exploration",
  "cli/mock",
  "cli/files",
  "cli/bad-starts",
].map((name) => `/test/${name}.test.ts`);

/** Begins with the files that take longest, so that the workers end together; a class, as vitest asks for one. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = longest.findIndex((end) => moduleId.endsWith(end));
  return rank === -1 ? longest.length : rank;
}
