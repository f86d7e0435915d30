import { contract } from "../contract/load.js";
import type { Transition } from "../contract/types.js";

type Machine = "job" | "observation";

const steps: Record<Machine, Map<string, Transition>> = {
  job: table(contract.transitions.job),
  observation: table(contract.transitions.observation),
};

/** The step a machine takes from a state on an event, or null where the contract has none. */
export function next<State extends string>(machine: Machine, from: State, on: string): Transition<State> | null {
  return (steps[machine].get(`${from} ${on}`) as Transition<State> | undefined) ?? null;
}

function table(transitions: Transition[]): Map<string, Transition> {
  return new Map(transitions.map((step) => [`${step.from} ${step.on}`, step]));
}
