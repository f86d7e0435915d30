import type { IncomingCall } from "../../src/service/call.js";
import { changeObservation } from "../../src/service/observations/observations.js";
import type { Observation, World } from "../../src/service/world/world.js";
import {
  type Around,
  type Mutant,
  observationOf,
  param,
  pretending,
  routeOf,
  withAnswer,
  withQuery,
  withRows,
} from "./mutant.js";

const list = "GET /api/observations";
const get = "GET /api/observations/{ref}";
const fix = "POST /api/observations/{ref}/fix";
const reopen = "POST /api/observations/{ref}/reopen";
const complete = "POST /api/observations/{ref}/complete";
const acknowledge = "POST /api/observations/{ref}/acknowledge";

type Row = Record<string, unknown> & { fix_pr: Observation["fix_pr"] };

/** Faults in what becomes of an observation. */
export const observationMutants: Mutant[] = [
  {
    name: "closes a completed observation as fixed",
    breaks: "OBS-COMPLETE-CLOSES",
    around: afterwards(complete, { close_reason: "fixed" }),
  },
  {
    name: "closes what is acknowledged",
    breaks: "OBS-ACK-OPEN",
    around: afterwards(acknowledge, { status: "closed", close_reason: "completed" }),
  },
  {
    name: "shows the stamp of an acknowledgement once and keeps none",
    breaks: "OBS-ACK-STAMPS",
    around: afterwards(acknowledge, { acknowledged_at: null }),
  },
  {
    name: "fails when a new observation is reopened",
    breaks: "OBS-REOPEN-ON-NEW",
    around(world, call, perform) {
      const reply = perform(world, call);
      return routeOf(call) === reopen && reply.status === 409 ? { ...reply, status: 500 } : reply;
    },
  },
  {
    name: "lists locations that nobody asked for",
    breaks: "OBS-FIELD-LOCATIONS-ONLY",
    around: (world, call, perform) => perform(world, routeOf(call) === list ? withQuery(call, { include: "locations" }) : call),
  },
  {
    name: "lists locations without their last line",
    breaks: "OBS-FIELD-LOCATIONS-ITEM",
    around: (world, call, perform) =>
      withRows<{ locations?: object[] }>(perform(world, call), (rows) =>
        rows.map((row) =>
          row.locations ? { ...row, locations: row.locations.map((at) => ({ ...at, line_end: undefined })) } : row,
        ),
      ),
  },
  {
    name: "closes an observation when its fix is spawned",
    breaks: "OBS-FIX-STAYS-NEW",
    around: afterwards(fix, { status: "closed", close_reason: "fixed" }),
  },
  {
    name: "names the attempt where the job of a fix belongs",
    breaks: "OBS-FIX-FIELD-IDS",
    around(world, call, perform) {
      const reply = perform(world, call);
      const { attempt_id } = (reply.body ?? {}) as Row;
      return routeOf(call) === fix && attempt_id ? withAnswer(reply, { job_id: attempt_id }) : reply;
    },
  },
  {
    name: "answers a fix with the one before, though that has ended",
    breaks: "OBS-FIX-MAKES-JOB",
    around(world, call, perform) {
      const attempt = world.attempts[observationOf(world, call)?.attempt ?? ""];
      const job = routeOf(call) === fix ? world.jobs[attempt?.job ?? ""] : undefined;
      return pretending(job, { status: "running" }, () => perform(world, call));
    },
  },
  {
    name: "spawns a fix as an audit",
    breaks: "OBS-FIX-MAKES-JOB",
    around(world, call, perform) {
      const reply = perform(world, call);
      const job = world.jobs[String(((reply.body ?? {}) as Row).job_id)];
      if (routeOf(call) === fix && job) job.workflow = "audit";
      return reply;
    },
  },
  {
    name: "shows the observation of a spawned fix without its status",
    breaks: "OBS-FIX-FIELD-OBSERVATION",
    around(world, call, perform) {
      const reply = perform(world, call);
      return routeOf(call) === fix && reply.status < 300
        ? withAnswer(reply, { observation: { ref: param(call, "ref") } })
        : reply;
    },
  },
  {
    name: "shows the state of its fix PR as the status of an observation",
    breaks: "OBS-LANE-STATUS-NEW",
    around(world, call, perform) {
      const reply = perform(world, call);
      const { fix_pr, status } = (reply.body ?? {}) as Row;
      return routeOf(call) === get && status === "new" && fix_pr ? withAnswer(reply, { status: fix_pr.status }) : reply;
    },
  },
  {
    name: "says completed of what a merged PR closed",
    breaks: "OBS-FIX-MERGED",
    around(world, call, perform) {
      const reply = perform(world, call);
      return routeOf(call) === get && ((reply.body ?? {}) as Row).close_reason === "fixed"
        ? withAnswer(reply, { close_reason: "completed" })
        : reply;
    },
  },
  {
    name: "shows no fix PR that is being revised in the lane",
    breaks: "OBS-LANE-FIX-PRS",
    around(world, call, perform) {
      const reply = perform(world, call);
      return routeOf(call)?.endsWith("/fix-prs")
        ? withRows<Row>(reply, (rows) => rows.filter(({ status }) => status !== "revising"))
        : reply;
    },
  },
];

/** Changes the observation behind the back of an operation that has been answered with success. */
function afterwards(route: string, becoming: Partial<Observation>): Around {
  return afterwardsIf(route, () => true, becoming);
}

function afterwardsIf(route: string, holds: (observation: Observation) => boolean, becoming: Partial<Observation>): Around {
  return (world, call, perform) => {
    const reply = perform(world, call);
    const observation = observationOf(world, call);
    if (routeOf(call) === route && reply.status < 300 && observation && holds(observation)) change(world, call, becoming);
    return reply;
  };
}

function change(world: World, call: IncomingCall, becoming: Partial<Observation>): void {
  const observation = observationOf(world, call);
  if (observation) changeObservation(world, observation, becoming);
}
