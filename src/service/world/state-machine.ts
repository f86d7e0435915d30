import { contract } from "../../contract/load.js";
import type { Transition } from "../../contract/types.js";
import type { JobStatus, ObservationStatus } from "./world.js";

interface States {
  job: JobStatus;
  observation: ObservationStatus;
}
type Machine = keyof States;
type Steps<M extends Machine> = ReadonlyMap<string, Transition<States[M]>>;

const steps: { [M in Machine]: Steps<M> } = {
  job: buildTable(contract.transitions.job),
  observation: buildTable(contract.transitions.observation),
};

/** Returns the transition from a state on an event, or null where the contract has none. */
export function findNextState<M extends Machine>(machine: M, from: States[M], on: string): Transition<States[M]> | null {
  const knownSteps: Steps<M> = steps[machine];
  return knownSteps.get(`${from} ${on}`) ?? null;
}

function buildTable<State extends string>(transitions: Transition<State>[]): Map<string, Transition<State>> {
  return new Map(transitions.map((step) => [`${step.from} ${step.on}`, step]));
}
