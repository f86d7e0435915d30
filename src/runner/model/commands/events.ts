import { must } from "../branch.js";
import type { Command } from "../command.js";
import { happen, type Journey, put, request, type Turn } from "../journey.js";
import { foundAgain, STAYS } from "../passing.js";
import { placeOf } from "../place.js";
import { nameOf } from "../reaching.js";
import { distinct, type Observation, type ObservationState, type States, withObservation } from "../states.js";
import { newestFirst, pinObservation, registered } from "./choices.js";

/** An event that happens to one observation: what may be so afterwards, and the clauses that say so. */
interface Happening {
  event: string;
  clauses: readonly string[];
  /** Observations that it can happen to. */
  fits: (observation: Observation) => boolean;
  turns: (state: ObservationState) => ObservationState[];
}

const someOpen = ({ possible }: Observation) => possible.some(({ status }) => status === "new");
const somePull = ({ possible }: Observation) => possible.some(({ pull, status }) => pull === "open" && status === "new");

const HAPPENINGS: readonly Happening[] = [
  {
    event: "open-fix-pr",
    clauses: ["OBS-LANE-STATUS-NEW"],
    fits: (observation) => someOpen(observation) && observation.kind === "finding" && !somePull(observation),
    turns: (state) => [{ ...state, pull: state.status === "new" ? "open" : null }],
  },
  { event: "revise-fix-pr", clauses: ["OBS-LANE-STATUS-NEW"], fits: somePull, turns: (state) => [state] },
  {
    event: "merge-fix-pr",
    clauses: ["OBS-FIX-MERGED"],
    fits: somePull,
    turns: (state) => [
      { ...state, status: "closed", reason: "fixed", pull: "merged" },
      ...(state.status === "closed" ? [state] : []),
    ],
  },
  {
    event: "close-fix-pr",
    clauses: ["OBS-FIX-UNMERGED"],
    fits: somePull,
    turns: (state) => [{ ...state, pull: "closed" }],
  },
  {
    // OBS-STATE-EXPIRED-TRIGGER: what brings it about is not said; where the target can, it is closed for that reason.
    event: "expire-observation",
    clauses: ["OBS-GET-ROUTE"],
    fits: someOpen,
    turns: (state) => [state.status === "new" ? { ...state, status: "closed", reason: "expired" } : state],
  },
  {
    event: "exhaust-fix",
    clauses: ["OBS-FILTER-REVIEW"],
    fits: (observation) => someOpen(observation) && observation.kind === "finding",
    turns: (state) => [state, { ...state, status: "closed", reason: "dismissed", category: "exhausted_fix_attempts" }],
  },
];

const happenToObservation: Command = {
  picks: ["event", "ref"],
  weight: 6,
  async play(journey, pick) {
    const happening = pick("event", HAPPENINGS);
    const { observations } = journey.states;
    const fitting = newestFirst(observations).filter((name) => happening?.fits(observations[name] as Observation));
    const ref = pick("ref", fitting);
    if (!happening || ref === undefined) return undefined;
    const pinned = await pinObservation(journey, ref);
    return pinned.failure ?? befall(journey, happening, ref);
  },
};

async function befall(journey: Journey, { event, clauses, turns }: Happening, ref: string): Promise<Turn> {
  const before = journey.states.observations[ref]?.possible ?? [];
  const told = await happen(journey, { event, values: { ref: `{${ref}}` } }, (states) => {
    const observation = states.observations[ref];
    if (!observation) return states;
    const possible = distinct(observation.possible.flatMap(turns));
    return withObservation(states, ref, {
      possible,
      because: clauses,
      exhausted: observation.exhausted || event === "exhaust-fix",
    });
  });
  const verb = event === "expire-observation" ? "expire" : event;
  if (told && before.length === 1)
    journey.scene.coverage.reach("observation transitions", `${nameOf(before[0] as ObservationState)}: ${verb}`);
  return (await request(journey, { what: "GET /api/observations/{ref}", by: "rest", as: "full", ref })).failure;
}

/** OBS-REDISCOVER-*: everything in a repository is found again. */
const rediscover: Command = {
  picks: ["repo"],
  weight: 2,
  async play(journey, pick) {
    const observed = distinct(Object.values(journey.states.observations).map(({ repo }) => repo));
    const repo = pick("repo", [...observed.reverse(), ...registered(journey.states)]);
    if (repo === undefined) return undefined;
    const before = journey.states;
    const told = await happen(journey, { event: "rediscover", values: { repo: placeOf(repo).path } }, (states) => {
      const here = Object.entries(states.observations).filter(([, observation]) => observation.repo === repo);
      return here.reduce((known, [name, observation]) => withObservation(known, name, again(observation)), states);
    });
    if (!told) return undefined;
    reachRediscovered(journey, before, repo);
    return lookForReappeared(journey, before, repo);
  },
};

/** OBS-REDISCOVER-REAPPEAR: what may come back is among the new ones, under its ref or as a new one of its title. */
async function lookForReappeared(journey: Journey, before: States, repo: string): Promise<Turn> {
  const left = newestFirst(before.observations).find((name) => {
    const { repo: where, title, possible } = before.observations[name] as Observation;
    const returns = possible.every(
      ({ reason, category }) => reason === "dismissed" && category !== undefined && !STAYS.includes(category),
    );
    return where === repo && title !== undefined && returns && possible.every(({ pull }) => pull === "none");
  });
  if (left === undefined || !before.fresh || before.suspended) return undefined;
  const rule = must("OBS-REDISCOVER-REAPPEAR", {
    status: 200,
    json: { data: { contains: { title: before.observations[left]?.title } } },
  });
  const step = { rest: "GET /api/observations", query: { status: "new", repo: placeOf(repo).slug, limit: 200 }, walk: true };
  return (await put(journey, step, { by: "rest", ways: (next) => [{ must: [rule], next }] })).failure;
}

function again(observation: Observation): Observation {
  const found = foundAgain(observation);
  const dismissed = observation.possible.every(({ status, reason }) => status === "closed" && reason === "dismissed");
  return dismissed
    ? { ...found, because: found.possible.length > 1 ? ["OBS-REDISCOVER-REAPPEAR"] : ["OBS-REDISCOVER-STAY"] }
    : found;
}

function reachRediscovered({ scene }: Journey, before: States, repo: string): void {
  for (const { repo: where, possible } of Object.values(before.observations)) {
    const [state, ...others] = possible;
    if (where !== repo || others.length > 0 || state?.reason !== "dismissed" || state.category === undefined) continue;
    scene.coverage.reach("observation transitions", `dismissed as ${state.category}: rediscover`);
  }
}

const suspend: Command = {
  picks: [],
  weight: 1,
  async play(journey) {
    if (!journey.scene.fresh || !journey.scene.offers("drive.reactivate")) return undefined;
    await happen(journey, { event: "suspend" }, (states) => ({ ...states, suspended: true }));
    return undefined;
  },
};

const reactivate: Command = {
  picks: [],
  weight: 1,
  async play(journey) {
    if (!journey.states.suspended) return undefined;
    await happen(journey, { event: "reactivate" }, (states) => ({ ...states, suspended: false }));
    return undefined;
  },
};

const setCredit: Command = {
  picks: ["usd"],
  weight: 1,
  async play(journey, pick) {
    const usd = pick("usd", [1000, 0]) ?? 1000;
    if (!journey.scene.fresh) return undefined;
    await happen(journey, { event: "set-credit", values: { usd } }, (states) => ({ ...states, broke: usd === 0 }));
    return undefined;
  },
};

const pauseSpend: Command = {
  picks: ["on"],
  weight: 1,
  async play(journey, pick) {
    const on = pick("on", [false, true]) ?? false;
    if (!journey.scene.fresh) return undefined;
    await happen(journey, { event: "pause-spend", values: { on } }, (states) => ({ ...states, paused: on }));
    return undefined;
  },
};

const failVerification: Command = {
  picks: ["on"],
  weight: 1,
  async play(journey, pick) {
    const on = pick("on", [false, true]) ?? false;
    if (!journey.scene.fresh) return undefined;
    await happen(journey, { event: "fail-verification", values: { on, retry_after: 5 } }, (states) => ({
      ...states,
      unverified: on,
    }));
    return undefined;
  },
};

/** The events that happen to observations, in the order of their picks. */
export const EVENTS = HAPPENINGS.map(({ event }) => event);

/** What a case can make happen behind the service. */
export const eventCommands = { happenToObservation, rediscover, suspend, reactivate, setCredit, pauseSpend, failVerification };
