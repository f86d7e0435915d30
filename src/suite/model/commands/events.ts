import { PAGE_LIMIT } from "../../statements/lists.js";
import { fixPrEvents, rediscovery, serviceDismissalCategory, staysDismissed } from "../../statements/observations.js";
import { DEFAULT_ROLE } from "../../statements/roles.js";
import type { Command } from "../command.js";
import { nameState } from "../coverage.js";
import { type Contradiction, drive, type ModelRun, send, sendStep } from "../model-run.js";
import { createRequirement } from "../rules/branch.js";
import { findAddress } from "../rules/repository-address.js";
import { changeObservation, dropDuplicates, type Observation, type ObservationState, type States } from "../rules/states.js";
import { rediscoverObservation } from "../rules/time.js";
import { listRegisteredRepos, readUncertainObservation, sortNewestFirst } from "./choices.js";

/** An event of one observation: the possible states after it, and their clauses. */
interface ObservationEvent {
  clauses: readonly string[];
  /** Returns whether the event can happen to an observation. */
  applies: (observation: Observation) => boolean;
  nextStates: (state: ObservationState) => ObservationState[];
}

const mayBeOpen = ({ possible }: Observation) => possible.some(({ status }) => status === "new");
const mayHaveOpenPr = ({ possible }: Observation) => possible.some(({ pull, status }) => pull === "open" && status === "new");

const { closeReason: reason, pull: mergedPull } = fixPrEvents["merge-fix-pr"];

const observationEvents: Readonly<Record<string, ObservationEvent>> = {
  "open-fix-pr": {
    clauses: [fixPrEvents["open-fix-pr"].clause],
    applies: (observation) => mayBeOpen(observation) && observation.kind === "finding" && !mayHaveOpenPr(observation),
    nextStates: (state) => [{ ...state, pull: state.status === "new" ? fixPrEvents["open-fix-pr"].pull : null }],
  },
  "revise-fix-pr": { clauses: [fixPrEvents["revise-fix-pr"].clause], applies: mayHaveOpenPr, nextStates: (state) => [state] },
  "merge-fix-pr": {
    clauses: [fixPrEvents["merge-fix-pr"].clause],
    applies: mayHaveOpenPr,
    nextStates: (state) => [
      { ...state, status: "closed", reason, pull: mergedPull },
      ...(state.status === "closed" ? [state] : []),
    ],
  },
  "close-fix-pr": {
    clauses: [fixPrEvents["close-fix-pr"].clause],
    applies: mayHaveOpenPr,
    nextStates: (state) => [{ ...state, pull: fixPrEvents["close-fix-pr"].pull }],
  },
  // OBS-STATE-EXPIRED-TRIGGER: the cause of an expiry is open; the event of the target closes the observation as expired.
  "expire-observation": {
    clauses: ["OBS-GET-ROUTE"],
    applies: mayBeOpen,
    nextStates: (state) => [state.status === "new" ? { ...state, status: "closed", reason: "expired" } : state],
  },
  "exhaust-fix": {
    clauses: ["OBS-FILTER-REVIEW"],
    applies: (observation) => mayBeOpen(observation) && observation.kind === "finding",
    nextStates: (state) => [state, { ...state, status: "closed", reason: "dismissed", category: serviceDismissalCategory }],
  },
};

const driveObservation: Command = {
  arguments: ["event", "ref"],
  weight: 6,
  async run(modelRun, choose) {
    const event = choose("event", Object.keys(observationEvents)) ?? "";
    const { observations } = modelRun.states;
    const fitting = sortNewestFirst(observations).filter((name) =>
      observationEvents[event]?.applies(observations[name] as Observation),
    );
    const ref = choose("ref", fitting);
    if (ref === undefined) return undefined;
    const requestResult = await readUncertainObservation(modelRun, ref);
    return requestResult.failure ?? driveEvent(modelRun, event, ref);
  },
};

async function driveEvent(modelRun: ModelRun, event: string, ref: string): Promise<Contradiction> {
  const { clauses = [], nextStates = () => [] } = observationEvents[event] ?? {};
  const observationStatesBefore = modelRun.states.observations[ref]?.possible ?? [];
  const result = await drive(modelRun, { event, values: { ref: `{${ref}}` } }, (states) => {
    const observation = states.observations[ref];
    if (!observation) return states;
    const possibleObservationStates = dropDuplicates(observation.possible.flatMap(nextStates));
    return changeObservation(states, ref, {
      possible: possibleObservationStates,
      because: clauses,
      exhausted: observation.exhausted || event === "exhaust-fix",
    });
  });
  const verb = event === "expire-observation" ? "expire" : event;
  if (result && observationStatesBefore.length === 1)
    modelRun.sut.coverage.reach(
      "observation transitions",
      `${nameState(observationStatesBefore[0] as ObservationState)}: ${verb}`,
    );
  return (await send(modelRun, { what: "GET /api/observations/{ref}", by: "rest", as: DEFAULT_ROLE, ref })).failure;
}

/** OBS-REDISCOVER-*: finds everything in a repository again. */
const rediscover: Command = {
  arguments: ["repo"],
  weight: 2,
  async run(modelRun, choose) {
    const observed = dropDuplicates(Object.values(modelRun.states.observations).map(({ repo }) => repo));
    const repo = choose("repo", [...observed.reverse(), ...listRegisteredRepos(modelRun.states)]);
    if (repo === undefined) return undefined;
    const statesBefore = modelRun.states;
    const result = await drive(modelRun, { event: "rediscover", values: { repo: findAddress(repo).path } }, (states) => {
      const here = Object.entries(states.observations).filter(([, observation]) => observation.repo === repo);
      return here.reduce(
        (knownStates, [name, observation]) => changeObservation(knownStates, name, markRediscovered(observation)),
        states,
      );
    });
    if (!result) return undefined;
    coverRediscovery(modelRun, statesBefore, repo);
    return checkReappeared(modelRun, statesBefore, repo);
  },
};

/** Checks that an observation which may reappear is open, with its old ref or as a new one with its title. OBS-REDISCOVER-REAPPEAR. */
async function checkReappeared(modelRun: ModelRun, statesBefore: States, repo: string): Promise<Contradiction> {
  const left = sortNewestFirst(statesBefore.observations).find((name) => {
    const { repo: where, title, possible } = statesBefore.observations[name] as Observation;
    const returns = possible.every(
      ({ reason, category }) => reason === "dismissed" && category !== undefined && !staysDismissed(category),
    );
    return where === repo && title !== undefined && returns && possible.every(({ pull }) => pull === "none");
  });
  if (left === undefined || !statesBefore.fresh || statesBefore.suspended) return undefined;
  const rule = createRequirement(rediscovery.reappears, {
    status: 200,
    json: { data: { contains: { title: statesBefore.observations[left]?.title } } },
  });
  const step = {
    rest: "GET /api/observations",
    query: { status: "new", repo: findAddress(repo).slug, limit: PAGE_LIMIT },
    allPages: true,
  };
  return (await sendStep(modelRun, step, { by: "rest", branches: (next) => [{ requirements: [rule], next }] })).failure;
}

function markRediscovered(observation: Observation): Observation {
  const foundObservation = rediscoverObservation(observation);
  const isDismissed = observation.possible.every(({ status, reason }) => status === "closed" && reason === "dismissed");
  return isDismissed
    ? { ...foundObservation, because: [foundObservation.possible.length > 1 ? rediscovery.reappears : rediscovery.stays] }
    : foundObservation;
}

function coverRediscovery({ sut }: ModelRun, statesBefore: States, repo: string): void {
  for (const { repo: where, possible } of Object.values(statesBefore.observations)) {
    const [state, ...others] = possible;
    if (where !== repo || others.length > 0 || state?.reason !== "dismissed" || state.category === undefined) continue;
    sut.coverage.reach("observation transitions", `dismissed as ${state.category}: rediscover`);
  }
}

const suspend: Command = {
  arguments: [],
  weight: 1,
  async run(modelRun) {
    if (!modelRun.sut.fresh || !modelRun.sut.offers("drive.reactivate")) return undefined;
    await drive(modelRun, { event: "suspend" }, (states) => ({ ...states, suspended: true }));
    return undefined;
  },
};

const reactivate: Command = {
  arguments: [],
  weight: 1,
  async run(modelRun) {
    if (!modelRun.states.suspended) return undefined;
    await drive(modelRun, { event: "reactivate" }, (states) => ({ ...states, suspended: false }));
    return undefined;
  },
};

const setCredit: Command = {
  arguments: ["usd"],
  weight: 1,
  async run(modelRun, choose) {
    const usd = choose("usd", { plenty: 1000, none: 0 }) ?? 1000;
    if (!modelRun.sut.fresh) return undefined;
    await drive(modelRun, { event: "set-credit", values: { usd } }, (states) => ({ ...states, broke: usd === 0 }));
    return undefined;
  },
};

const pauseSpend: Command = {
  arguments: ["on"],
  weight: 1,
  async run(modelRun, choose) {
    const on = choose("on", [false, true]) ?? false;
    if (!modelRun.sut.fresh) return undefined;
    await drive(modelRun, { event: "pause-spend", values: { on } }, (states) => ({ ...states, paused: on }));
    return undefined;
  },
};

const failVerification: Command = {
  arguments: ["on"],
  weight: 1,
  async run(modelRun, choose) {
    const on = choose("on", [false, true]) ?? false;
    if (!modelRun.sut.fresh) return undefined;
    await drive(modelRun, { event: "fail-verification", values: { on, retry_after: 5 } }, (states) => ({
      ...states,
      unverified: on,
    }));
    return undefined;
  },
};

/** Commands that cause events. */
export const eventCommands = { driveObservation, rediscover, suspend, reactivate, setCredit, pauseSpend, failVerification };
