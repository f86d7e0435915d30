import type { IncomingCall } from "../../src/service/call.js";
import type { World } from "../../src/service/world/world.js";
import { changing, each } from "./family.js";
import { parts } from "./helpers/observations.js";
import { anotherThan, changingRegistrationBy, fault, hiding, registering, tripleIn } from "./helpers/repositories.js";
import { registerRoute, repoRoute, reposRoute, resetRoute } from "./helpers/routes.js";
import {
  type Around,
  answering,
  bodyOf,
  type Mutant,
  onRoute,
  routeOf,
  showing,
  withAnswer,
  withBody,
  withRows,
  withShown,
} from "./mutant.js";

/** Mutants that break a clause of REPO-FIELD-*, REPO-GET-*, REPO-LIST-*, REPO-READ-*, REPO-RESET-* or REPO-WRITE-*. */
export const repositoryReadsMutants: Mutant[] = [
  ...each("REPO-FIELD-ACCESS-MODE", "access mode", "knows no access mode *", (mode) =>
    onRoute(registerRoute, (world, call, perform) =>
      perform(world, bodyOf(call).access_mode === mode ? withBody(call, { access_mode: "app" }) : call),
    ),
  ),
  ...each("REPO-FIELD-DISCOVER-NULL", "access mode", "leaves discover_job_id out of a registration that is *", (mode) =>
    changingRegistrationBy(mode, 201, (reply) => withAnswer(reply, { discover_job_id: undefined })),
  ),
  ...each("REPO-FIELD-DISCOVER-NULL", "access mode", "makes up a discover_job_id for a registration that is *", (mode) =>
    changingRegistrationBy(mode, 201, (reply) => withAnswer(reply, { discover_job_id: "job_0" })),
  ),
  ...each("REPO-RESET-ROUTE", "reset flag", "breaks down over the reset flag *", (flag) =>
    answering(resetRoute, (reply, _world, call) => (flag in bodyOf(call) ? { ...reply, status: 500 } : reply)),
  ),
  {
    name: "drops the observations of every repository when one is reset",
    breaks: "REPO-RESET-ROUTE",
    around: answering(resetRoute, (reply, world) => {
      if (reply.status === 200) for (const { ref } of Object.values(world.observations)) delete world.observations[ref];
      return reply;
    }),
  },
  ...each("REPO-READ-UNKNOWN", "repository read", "finds nothing in a repository that it does not have on *", (route) =>
    unfound(route),
  ),
  ...each("REPO-WRITE-UNKNOWN", "repository write", "does as if it had every repository on *", (route) => unfound(route)),
  ...(["REPO-READ-UNKNOWN", "REPO-WRITE-UNKNOWN"] as const).flatMap((clause) =>
    each(
      clause,
      "workspace relation",
      `says that a repository is forbidden to ${clause.slice(5, 9).toLowerCase()} that is *`,
      (relation) =>
        changing(
          ({ status, rule }, call, world) =>
            status === 404 &&
            rule.gate === "operation" &&
            isRead(call) === (clause === "REPO-READ-UNKNOWN") &&
            relationOf(world, call) === relation,
          (reply) => ({ ...reply, status: 403 }),
        ),
    ),
  ),
  {
    name: "knows a repository by the small letters of its name",
    breaks: "REPO-GET-ROUTE",
    around: onRoute(registerRoute, (world, call, perform) => {
      const { repo } = bodyOf(call);
      return perform(world, typeof repo === "string" ? withBody(call, { repo: repo.toLowerCase() }) : call);
    }),
  },
  {
    name: "registers anonymously where no access mode is named",
    breaks: "REPO-FIELD-ACCESS-DEFAULT",
    around: registering((body) => ({ access_mode: "anonymous", ...body })),
  },
  {
    name: "does not list what was registered since the start",
    breaks: "REPO-LIST-ROUTE",
    around(world, call, perform) {
      const reply = perform(world, call);
      if (routeOf(call) !== reposRoute) return reply;
      return withRows<{ repo: string }>(reply, (rows) => rows.filter(({ repo }) => !repo.startsWith("spare")));
    },
  },
  {
    name: "does not know access without the app",
    breaks: "REPO-FIELD-ACCESS-ANONYMOUS",
    around: onRoute(registerRoute, (world, call, perform) =>
      perform(world, bodyOf(call).access_mode === "anonymous" ? withBody(call, { access_mode: "nobody" }) : call),
    ),
  },
  {
    name: "does not find a repository in its first minute",
    breaks: "REPO-GET-ROUTE",
    around: hiding(repoRoute, (row, now) => now < row.created_at + 60_000),
  },
  {
    name: "shows a repository without saying which",
    breaks: "REPO-GET-ROUTE",
    around: showing(repoRoute, ({ created_at, updated_at }) => ({ created_at, updated_at })),
  },
  { name: "does not find discovery files", breaks: "REPO-READ-DISCOVERY", around: hiding(`${repoRoute}/discovery`, () => true) },
  { name: "knows nothing of a repository", breaks: "REPO-READ-KNOWLEDGE", around: showing(`${repoRoute}/knowledge`, () => null) },
  {
    name: "does not find the fix PRs of a repository",
    breaks: "REPO-READ-FIXPRS",
    around: hiding(`${repoRoute}/fix-prs`, () => true),
  },
  {
    name: "leaves fix PRs that are open out of a repository's",
    breaks: "REPO-READ-FIXPRS",
    around: answering(`${repoRoute}/fix-prs`, (reply) =>
      withRows<{ status: string }>(reply, (rows) => rows.filter(({ status }) => status === "merged")),
    ),
  },
  fault("lists to who is signed in the repositories of another workspace", "GET /api/repos", anotherThan, "REPO-LIST-ROUTE"),
  {
    name: "names the run of the time before to whoever registers again",
    breaks: "REPO-FIELD-DISCOVER-NULL",
    around: answering("POST /api/repos", (reply, world, call) => {
      const { owner, repo: name } = bodyOf(call);
      const before = Object.values(world.repos).filter((row) => row.owner === owner && row.repo === name);
      const run = Object.values(world.jobs).find((job) => before.some(({ id }) => id === job.repo));
      return reply.status === 201 && run ? withShown(reply, (shown) => ({ ...shown, discover_job_id: run.id })) : reply;
    }),
  },
];

function unfound(route: string): Around {
  return answering(route, (reply) => (reply.status === 404 ? { ...reply, status: 200, body: {} } : reply));
}

function isRead({ target }: IncomingCall): boolean {
  return typeof target === "object" && "route" in target && target.route.startsWith("GET ");
}

/** Whose the repository of a path is that the key's workspace does not have. */
function relationOf(world: World, call: IncomingCall): string | undefined {
  const asked = tripleIn(call);
  if (asked.owner === "") return undefined;
  const isThere = Object.values(world.repos).some((row) => !row.deleted_at && parts.every((part) => row[part] === asked[part]));
  return isThere ? "of another workspace" : "unknown";
}
