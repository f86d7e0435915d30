import type { ScenarioResult } from "../../../src/engine/execute/result.js";
import type { Run } from "../../../src/engine/execute/run.js";
import { executeScenario } from "../../../src/engine/execute/scenario.js";
import type { WireRequest } from "../../../src/engine/http/exchange.js";
import { checkProperty } from "../../../src/engine/property/check-property.js";
import type { Property } from "../../../src/engine/property/property.js";
import type { PropertyResult } from "../../../src/engine/property/result.js";
import { connect, startRun } from "../../../src/engine/run/connect.js";
import type { CompiledStep, Scenario } from "../../../src/engine/scenario/scenario.js";
import { startMock } from "../../../src/mock/server.js";
import { suite } from "../../../src/suite/suite.js";
import { type Fault, faultyWire } from "./fault.js";

/** One request of an execution. */
export interface Place {
  /** Counted from 1, those to hooks among them. */
  number: number;
  /** The check or setup that sent it; undefined before the first and after the last. */
  step: string | undefined;
  request: WireRequest;
}

/** Which requests meet a fault, if any do. */
export type Faulty = (place: Place) => Fault | undefined;

/** A runner in this process with a separate mock. Its requests meet faults, and it never sleeps. */
export interface Runner {
  /** Runs a scenario. Returns its requests in order, and its result. */
  run(scenario: Scenario, faultOf?: Faulty, signal?: AbortSignal): Promise<{ places: Place[]; result: ScenarioResult }>;
  /** Checks a property by a few cases. */
  check(property: Property, faultOf?: Faulty): Promise<{ places: Place[]; result: PropertyResult }>;
  close(): Promise<void>;
}

/** Cases of a property that are drawn: each is some dozen requests, and each of those is run again with every fault. */
const CASES = 2;

/** Opens a runner, which the caller closes. */
export async function openRunner(): Promise<Runner> {
  const mock = await startMock({ clock: "frozen" });
  const result = await connect(suite, { url: mock.api_url });
  if (!result.ok) throw new Error(result.mistakes.join("\n"));
  const { target, wire } = result;
  if (target.keys.full === undefined) throw new Error("The mock did not describe itself in time, so no scenario could be run.");
  const run: Run = { ...startRun(suite, { url: mock.api_url }, target, wire), sleep: async () => 0 };
  let runCounts = 0;
  const listen = (faultOf: Faulty = () => undefined) => {
    const places: Place[] = [];
    const current: { step?: string | undefined } = {};
    const faulty = faultyWire(wire, (request) => {
      const place = { number: places.length + 1, step: current.step, request };
      places.push(place);
      return faultOf(place);
    });
    return { places, current, run: { ...run, id: `play-${runCounts++}`, wire: faulty, hookWire: faulty } };
  };
  return {
    async run(scenario, faultOf, signal = run.signal) {
      const { places, current, run: listening } = listen(faultOf);
      const scenarioWithReports = reportSteps(scenario, (step) => {
        current.step = step;
      });
      return { places, result: await executeScenario({ ...listening, signal }, scenarioWithReports, listening.id) };
    },
    async check(property, faultOf) {
      const { places, run: listening } = listen(faultOf);
      const parameters = { runs: CASES, seed: 1, deadline: Number.POSITIVE_INFINITY };
      return { places, result: await checkProperty(listening, property, parameters) };
    },
    async close() {
      await wire.close();
      await mock.close();
    },
  };
}

/** The scenario with steps that tell when they begin, a step with rows by the name of the check that each row is. */
function reportSteps(scenario: Scenario, onStep: (name: string | undefined) => void): Scenario {
  const steps = scenario.steps.map((step) => {
    const rows = step.text.rows?.length ?? 0;
    let row = 0;
    return onBegin(step, () => {
      row = (row % rows) + 1; // a scenario may be run twice
      onStep(rows > 0 ? `${step.name}[${row}]` : step.name);
    });
  });
  const last = scenario.finally.map((step) => onBegin(step, () => onStep(undefined)));
  return { ...scenario, steps, finally: last };
}

/** Calls a function when a step begins: the runner then reads `usesClock`, once. */
function onBegin(step: CompiledStep, begin: () => void): CompiledStep {
  const get = () => {
    begin();
    return step.usesClock;
  };
  return Object.defineProperty({ ...step }, "usesClock", { get });
}
