import { type Around, type Mutant, onRoute, routeOf, withAnswer, withQuery } from "./mutant.js";

const repos = "GET /api/repos";
const jobs = "GET /api/jobs";
const repoJobs = "GET /api/repos/{owner}/{repo}/{branch}/jobs";
const observations = "GET /api/observations";

/** Every cursor that was handed out, and the route that it belongs to. */
const handedOut = new Map<string, string | null>();

/** Faults in pages and in the cursors between them. */
export const pageMutants: Mutant[] = [
  { name: "lists 60 jobs unless told how many", breaks: "PAGE-DEFAULT", around: onRoute(jobs, defaulting("60")) },
  {
    name: "lists 60 jobs of a repository unless told how many",
    breaks: "PAGE-DEFAULT",
    around: onRoute(repoJobs, defaulting("60")),
  },
  {
    name: "lists 120 observations unless told how many",
    breaks: "PAGE-DEFAULT-OBS",
    around: onRoute(observations, defaulting("120")),
  },
  ...[repos, jobs, repoJobs, observations].flatMap((route): Mutant[] => [
    { name: `takes no limit of 200 on ${route}`, breaks: "PAGE-MAX", around: onRoute(route, refusing200) },
    { name: `gives the first page again on ${route}`, breaks: "CURSOR-VERBATIM", around: onRoute(route, startingOver) },
    { name: `says that nothing follows on ${route}`, breaks: "CURSOR-MORE", around: onRoute(route, ahead({ has_more: false })) },
    { name: `ignores a limit that is no number on ${route}`, breaks: "PAGE-LIMIT-NUMBER", around: onRoute(route, ignoringWords) },
  ]),
  {
    name: "refuses the cursor that it has just handed out",
    breaks: "CURSOR-VERBATIM",
    around: onRoute(repoJobs, (world, call, perform) =>
      perform(world, call.query.cursor ? withQuery(call, { cursor: `${call.query.cursor[0]}x` }) : call),
    ),
  },
  ...[observations, jobs, repos].map(
    (route): Mutant => ({
      name: `starts over for a made-up cursor on ${route}`,
      breaks: "CURSOR-FORGED",
      around: remembering((world, call, perform) => {
        const isForged = routeOf(call) === route && !handedOut.has(String(call.query.cursor?.[0]));
        return isForged ? startingOver(world, call, perform) : perform(world, call);
      }),
    }),
  ),
  {
    name: "finds a cursor in a damaged one",
    breaks: "CURSOR-FORGED",
    around: remembering((world, call, perform) => {
      const given = call.query.cursor?.[0] ?? "";
      const meant = [...handedOut.keys()].find((cursor) => given.includes(cursor));
      return perform(world, meant ? withQuery(call, { cursor: meant }) : call);
    }),
  },
  ...[observations, jobs, repos].map(
    (route): Mutant => ({
      name: `starts over for the cursor of another list on ${route}`,
      breaks: "CURSOR-ENDPOINT",
      around: remembering((world, call, perform) => {
        const isStranger = routeOf(call) === route && isOfAnother(route, call.query.cursor?.[0]);
        return isStranger ? startingOver(world, call, perform) : perform(world, call);
      }),
    }),
  ),
  {
    name: "answers 404 to the cursor of another list",
    breaks: "CURSOR-ENDPOINT",
    around: remembering((world, call, perform) => {
      const reply = perform(world, call);
      const isStranger = reply.rule.code === "invalid_cursor" && isOfAnother(routeOf(call), call.query.cursor?.[0]);
      return isStranger ? { ...reply, status: 404 } : reply;
    }),
  },
  { name: "says nothing of what follows", breaks: "CURSOR-MORE", around: ahead({ has_more: undefined }) },
  { name: "numbers its cursors", breaks: "CURSOR-MORE", around: ahead({ next_cursor: 2 }) },
];

function startingOver(...[world, call, perform]: Parameters<Around>): ReturnType<Around> {
  return perform(world, withQuery(call, { cursor: undefined }));
}

/** Lists so many where no limit is given. */
function defaulting(limit: string): Around {
  return (world, call, perform) => perform(world, call.query.limit ? call : withQuery(call, { limit }));
}

function refusing200(...[world, call, perform]: Parameters<Around>): ReturnType<Around> {
  return perform(world, call.query.limit?.[0] === "200" ? withQuery(call, { limit: "201" }) : call);
}

function ignoringWords(...[world, call, perform]: Parameters<Around>): ReturnType<Around> {
  return perform(world, Number.isNaN(Number(call.query.limit?.[0] ?? 1)) ? withQuery(call, { limit: undefined }) : call);
}

/** Notes the cursors that are handed out. */
function remembering(around: Around): Around {
  return (world, call, perform) => {
    const reply = around(world, call, perform);
    const { next_cursor } = (reply.body ?? {}) as { next_cursor?: string | null };
    if (next_cursor) handedOut.set(next_cursor, routeOf(call));
    return reply;
  };
}

function isOfAnother(route: string | null, cursor: string | undefined): boolean {
  return cursor !== undefined && handedOut.has(cursor) && handedOut.get(cursor) !== route;
}

/** Says other things where more rows follow. */
function ahead(said: Record<string, unknown>): Around {
  return (world, call, perform) => {
    const reply = perform(world, call);
    return (reply.body as { has_more?: boolean } | undefined)?.has_more ? withAnswer(reply, said) : reply;
  };
}
