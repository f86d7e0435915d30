import type { ClauseId } from "../../src/contract/types.js";
import type { Observation, World } from "../../src/service/world/world.js";
import { cutting } from "./limits.js";
import {
  type Around,
  bodyOf,
  keyOf,
  type Mutant,
  observationOf,
  onRoute,
  param,
  routeOf,
  withBody,
  withQuery,
  withRows,
} from "./mutant.js";

const list = "GET /api/observations";
const act = (name: string) => `POST /api/observations/{ref}/${name}`;

/** Faults that show in one circumstance alone: after something else, beside something else, or in one form of a request. */
export const circumstanceMutants: Mutant[] = [
  {
    name: "stamps nothing on what was reopened",
    breaks: "OBS-ACK-STAMPS",
    around: after(act("acknowledge"), (observation) => {
      if (observation.reopen_reason !== null) observation.acknowledged_at = null;
    }),
  },
  ...["dismiss", "complete", "reopen", "fix", "publish-ticket"].map(
    (name): Mutant => ({
      name: `stamps as acknowledged what it is asked to ${name}`,
      breaks: "OBS-FIELD-ACK-NULL",
      around: after(act(name), (observation, world) => {
        observation.acknowledged_at ??= world.now;
      }),
    }),
  ),
  ...(
    [
      ["dismiss", "OBS-DISMISS-CLOSES", "closed"],
      ["complete", "OBS-COMPLETE-CLOSES", "closed"],
    ] as const
  ).map(
    ([name, breaks, status]): Mutant => ({
      name: `closes the observation before too when it is asked to ${name} one`,
      breaks,
      around: after(act(name), (observation, world) => {
        const other = world.observations[`SERVICE-${observation.number - 1}`];
        if (other?.repo === observation.repo && other.status === "new") Object.assign(other, { status, close_reason: "expired" });
      }),
    }),
  ),
  {
    name: "lets that key alone reopen an observation which dismissed it",
    breaks: "OBS-REOPEN-OPENS",
    around(world, call, perform) {
      const observation = observationOf(world, call);
      if (!observation) return perform(world, call);
      if (routeOf(call) === act("dismiss")) dismissers.set(observation, call.authorization ?? "");
      const isOther =
        routeOf(call) === act("reopen") && (dismissers.get(observation) ?? call.authorization) !== call.authorization;
      return perform(world, isOther ? withBody(call, { reopen_reason: 7 }) : call);
    },
  },
  {
    name: "takes the category of a refused dismissal",
    breaks: "OBS-REDISCOVER-STAY",
    around: onRoute(act("dismiss"), (world, call, perform) => {
      const reply = perform(world, call);
      const observation = observationOf(world, call);
      const { dismissal_category } = bodyOf(call) as Pick<Observation, "dismissal_category">;
      if (observation?.close_reason === "dismissed" && reply.status === 409) observation.dismissal_category = dismissal_category;
      return reply;
    }),
  },
  {
    name: "forgets that attempts are exhausted when the finding is acknowledged",
    breaks: "OBS-FILTER-REVIEW",
    around: onRoute(list, (world, call, perform) =>
      withRows<Pick<Observation, "acknowledged_at">>(perform(world, call), (rows) =>
        call.query.needs_review?.[0] === "true" ? rows.filter(({ acknowledged_at }) => acknowledged_at === null) : rows,
      ),
    ),
  },
  ...["include", "order", "since", "has_fix_pr"].map(
    (parameter): Mutant => ({
      name: `gives a hundred rows at most where ${parameter} is given`,
      breaks: "PAGE-LIMIT-FILLED",
      around: onRoute(list, (world, call, perform) => {
        const isCut = parameter in call.query && between(call.query.limit?.[0], 100, 200);
        return perform(world, isCut ? withQuery(call, { limit: "100" }) : call);
      }),
    }),
  ),
  ...["include", "order", "since", "cursor"].map(
    (parameter): Mutant => ({
      name: `gives fifty rows by default where ${parameter} is given`,
      breaks: "PAGE-DEFAULT-OBS",
      around: onRoute(list, (world, call, perform) =>
        perform(world, parameter in call.query && !("limit" in call.query) ? withQuery(call, { limit: "50" }) : call),
      ),
    }),
  ),
  {
    name: "cuts a limit that is too high down on later pages",
    breaks: "PAGE-LIMIT-OVER",
    around: (world, call, perform) => {
      const isCut = "cursor" in call.query && Number(call.query.limit?.[0]) > 200;
      return perform(world, isCut ? withQuery(call, { limit: "200" }) : call);
    },
  },
  { name: "binds the cursor of a first page alone", breaks: "CURSOR-FILTERS", around: loosening(list) },
  ...["kind", "status", "priority", "category", "close_reason", "domain", "order"].map(
    (filter): Mutant => ({
      name: `takes a value of ${filter} in capitals or small letters`,
      breaks: "OBS-FILTER-VALUE-OTHER",
      around: onRoute(list, (world, call, perform) => {
        const value = call.query[filter]?.[0];
        return perform(
          world,
          value ? withQuery(call, { [filter]: filter === "priority" ? value.toUpperCase() : value.toLowerCase() }) : call,
        );
      }),
    }),
  ),
  ...(
    [
      ["OBS-DISMISS-NOTE-MAX", "dismiss", "dismissal_note", 500],
      ["OBS-REOPEN-REASON-MAX", "reopen", "reopen_reason", 2000],
    ] as const
  ).map(
    ([breaks, name, field, most]): Mutant => ({
      name: `bounds the bytes of ${field}`,
      breaks,
      around: onRoute(act(name), (world, call, perform) => {
        const text = String(bodyOf(call)[field]);
        return perform(world, Buffer.byteLength(text) > most ? withBody(call, { [field]: 7 }) : call);
      }),
    }),
  ),
  {
    name: "takes nine characters for ten where they are ten bytes",
    breaks: "OBS-DISMISS-NOTE-SHORT",
    around: onRoute(act("dismiss"), (world, call, perform) => {
      const note = String(bodyOf(call).dismissal_note);
      const isWide = note.length < 10 && Buffer.byteLength(note) >= 10;
      return perform(world, isWide ? withBody(call, { dismissal_note: note.repeat(2) }) : call);
    }),
  },
  ...(
    [
      ["BUCKET-JOB-START", "POST /api/repos/{owner}/{repo}/{branch}/jobs", "with force", (call) => "force" in call.query],
      [
        "BUCKET-JOB-START",
        "POST /api/repos/{owner}/{repo}/{branch}/jobs",
        "with an Idempotency-Key",
        (call) => call.idempotencyKey !== undefined,
      ],
      ["BUCKET-JOB-LIST", "GET /api/repos/{owner}/{repo}/{branch}/jobs", "of one workflow", (call) => "workflow" in call.query],
      ["BUCKET-REPO-LIST", "GET /api/repos", "without a limit", (call) => !("limit" in call.query)],
      [
        "BUCKET-REPO-RESET",
        "POST /api/repos/{owner}/{repo}/{branch}/reset",
        "of the history",
        (call) => "history" in bodyOf(call),
      ],
    ] satisfies [ClauseId, string, string, (call: Parameters<Around>[1]) => boolean][]
  ).map(
    ([breaks, route, form, isMeant]): Mutant => ({
      name: `does not count ${route} ${form}`,
      breaks,
      around: (world, call, perform) =>
        routeOf(call) === route && isMeant(call) ? uncounted(world, call, perform) : perform(world, call),
    }),
  ),
  ...(["suggestion", "advisory"] as const).map(
    (kind): Mutant => ({
      name: `takes no proof of what completes one of kind ${kind}`,
      breaks: "OBS-COMPLETE-BODY",
      around: onRoute(act("complete"), (world, call, perform) => {
        const isMeant = Object.keys(bodyOf(call)).length > 0 && observationOf(world, call)?.kind === kind;
        return perform(world, isMeant ? withBody(call, { url: 7 }) : call);
      }),
    }),
  ),
  {
    name: "has half a bucket of repository lists on Free",
    breaks: "BUCKET-REPO-LIST",
    around: (world, call, perform) => {
      const isFree = world.workspaces[keyOf(world, call)?.workspace ?? ""]?.plan === "free";
      return (isFree ? cutting("list_repos", 30, 60) : unchanged)(world, call, perform);
    },
  },
];

/** Which key dismissed an observation. */
const dismissers = new WeakMap<Observation, string>();

/** Does more to an observation than the request that it served. */
function after(route: string, more: (observation: Observation, world: World) => void): Around {
  return onRoute(route, (world, call, perform) => {
    const reply = perform(world, call);
    const observation = world.observations[param(call, "ref")];
    if (observation && reply.status < 300) more(observation, world);
    return reply;
  });
}

/** Serves the walk that a later page's cursor came from, whatever it is asked. */
function loosening(route: string): Around {
  const later = new WeakMap<World, Map<string, Parameters<Around>[1]["query"]>>();
  return onRoute(route, (world, call, perform) => {
    const known = later.get(world) ?? new Map();
    later.set(world, known);
    const query = known.get(call.query.cursor?.[0] ?? "");
    const reply = perform(world, query ? { ...call, query: { ...query, cursor: call.query.cursor ?? [] } } : call);
    const { next_cursor } = (reply.body ?? {}) as { next_cursor?: string };
    if (next_cursor && call.query.cursor) known.set(next_cursor, query ?? call.query);
    return reply;
  });
}

/** Takes what a request drew on back again. */
function uncounted(...[world, call, perform]: Parameters<Around>): ReturnType<Around> {
  const id = keyOf(world, call)?.id ?? "";
  const before = structuredClone(world.rates[id]);
  const reply = perform(world, call);
  if (before && reply.status < 300) world.rates[id] = before;
  return reply;
}

function unchanged(...[world, call, perform]: Parameters<Around>): ReturnType<Around> {
  return perform(world, call);
}

function between(text: string | undefined, least: number, most: number): boolean {
  return text !== undefined && Number(text) > least && Number(text) <= most;
}
