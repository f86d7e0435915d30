import { findOwner } from "../../src/mock/cluster/workers/place.js";
import { foundWorld } from "../mock/cluster/store/writer.js";
import { type Figure, figure, ours } from "./figures.js";
import { type Load, type LoadRequest, load } from "./load.js";
import { type MockServer, startMockServer } from "./mock.js";
import type { BenchContext, Section } from "./section.js";

/** Measures the cost of several processes behind one address. */
export const workers: Section = { name: "workers", title: "As several processes (all on the one core of the server)", measure };

const several = "with --workers 2";
/** A world that is not with the worker of the default one. */
const world = ["bench-a", "bench-b", "bench-c", "bench-d"].find((name) => findOwner(name, 2) === 1)!;
const headers = { authorization: `Bearer mock_${world}_full`, "content-type": "application/json" };
const shot: LoadRequest = { method: "GET", path: "/api/repos?limit=1", headers, expect: 200 };

async function measure(bench: BenchContext): Promise<Figure[]> {
  const [one, two] = [await startMockServer(), await startMockServer("--workers", "2")];
  try {
    for (const { url } of [one, two]) await foundWorld(url, world);
    const loads = { [ours]: await runTwice(bench, one), [several]: await runTwice(bench, two) };
    const figureBy = (unit: string, pick: (load: Load) => number) =>
      figure("GET a page of one", unit, Object.fromEntries(Object.entries(loads).map(([name, found]) => [name, pick(found)])));
    bench.note(
      "Two workers on cores of their own do twice as much for as many worlds: that is not measured, as the load has a core of the two.",
    );
    return [
      figureBy("requests a second", ({ perSecond }) => perSecond),
      figureBy("p99 ms", ({ p99 }) => p99),
      figureBy("processor µs a request", ({ microseconds }) => microseconds),
      figure("at rest", "MB", { [ours]: one.memory(), [several]: two.memory() }),
    ];
  } finally {
    await Promise.all([one.stop(), two.stop()]);
  }
}

/** The first load warms up. */
async function runTwice({ quick, tell }: BenchContext, server: MockServer): Promise<Load> {
  tell(server.url);
  await load(server, shot, 1);
  return load(server, shot, quick ? 1 : 5);
}
