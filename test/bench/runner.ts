import { fileURLToPath } from "node:url";
import { atMost, type Figure, figure, figureWithin, median, ours } from "./figures.js";
import { cli, startMockServer } from "./mock.js";
import { run } from "./processes.js";
import { scratchFolder } from "./scratch.js";
import type { BenchContext, Section } from "./section.js";

/** Measures the processor time and the duration of the runner. */
export const runner: Section = { name: "runner", title: "The runner", measure };

/** The output of the program `examine`: processor time and wall time of a request, in microseconds. */
export interface Cost {
  requests: number;
  processor: number;
  wall: number;
}

const program = fileURLToPath(new URL("examine.js", import.meta.url));
const oneScenario = "repository-path-parts";
const rawClient = "raw undici";

async function measure(bench: BenchContext): Promise<Figure[]> {
  const mock = await startMockServer("--clock", "frozen");
  const out = scratchFolder();
  try {
    bench.tell("the cost of a request");
    const examined = JSON.parse(await run("load", [process.execPath, program, mock.url, mock.key, out])) as Record<
      "runner" | "raw",
      Cost
    >;
    const costs = (pick: (cost: Cost) => number) => ({
      [ours]: pick(examined.runner),
      [rawClient]: pick(examined.raw),
    });
    const shell = ["verify", mock.url, "--key", mock.key, "--out", out, "--only"];
    bench.tell("one scenario from the shell");
    const one = await timeRuns([...shell, oneScenario], bench.quick ? 1 : 7);
    bench.tell("the whole suite on the mock");
    const whole = await timeRuns(["demo", "--out", out], bench.quick ? 1 : 3);
    return [
      figure(
        `${examined.runner.requests} requests, one at a time`,
        "requests a second",
        costs(({ wall }) => 1e6 / wall),
      ),
      atMost(
        figure(
          "its own cost",
          "processor µs a request",
          costs(({ processor }) => processor),
        ),
        2,
        rawClient,
      ),
      figureWithin(figure("one scenario from the shell", "ms", { [ours]: one }), 300),
      figureWithin(figure("the whole suite on the mock, ten cases of each property", "s", { [ours]: whole / 1000 }), 15),
    ];
  } finally {
    await mock.stop();
  }
}

async function timeRuns(args: string[], times: number): Promise<number> {
  const found: number[] = [];
  for (let i = 0; i < times; i++) {
    const begun = performance.now();
    await run("any", [process.execPath, cli, ...args]);
    found.push(performance.now() - begun);
  }
  return median(found);
}
