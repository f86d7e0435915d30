import type { ServiceResponse } from "../../src/service/call.js";
import { dispatch } from "../../src/service/jobs/jobs.js";
import { scheduleEvent } from "../../src/service/world/schedule.js";
import type { Repo, World } from "../../src/service/world/world.js";
import { mutantPerValue } from "./family.js";
import { forgetDiscoveries } from "./helpers/jobs.js";
import { wrapSignedInCalls } from "./helpers/keys.js";
import { changeRegistrationBy } from "./helpers/repositories.js";
import { registerRoute } from "./helpers/routes.js";
import { getBody, getRoute, type Mutant, type WrapCall, withBody, withError, wrapRoute } from "./mutant.js";

/** Mutants that break a clause of REPO-REGISTER-DISCOVERS-*, REPO-REGISTER-OTHER-*, REPO-REGISTER-ROUTE-* or REPO-REGISTER-TWICE-*. */
export const repositoryRegisterMutants: Mutant[] = [
  wrapSignedInCalls(
    "starts no discovery for a signed-in person instead of one",
    "REPO-REGISTER-DISCOVERS",
    "POST /api/repos",
    (world, call, perform) => {
      const scheduledEventsBefore = new Set(world.schedule);
      const response = perform(world, call);
      world.schedule = world.schedule.filter((entry) => scheduledEventsBefore.has(entry) || entry.event !== "enqueue-discovery");
      return response;
    },
  ),
  again(
    "REPO-REGISTER-DISCOVERS",
    "starts no discovery in a repository that is registered again instead of one",
    (perform, world) => {
      const response = perform();
      if (response.status === 201) world.schedule = world.schedule.filter(({ event }) => event !== "enqueue-discovery");
      return response;
    },
  ),
  again("REPO-REGISTER-TWICE", "answers 201 to a second registration instead of 409", (perform) => {
    const response = perform();
    return response.status === 409 ? { ...response, status: 201, body: { discover_job_id: null } } : response;
  }),
  again(
    "REPO-REGISTER-TWICE-ECHO",
    "leaves the existing repository out of a refused second registration instead of naming it",
    (perform) => {
      const response = perform();
      return response.status === 409 ? withError(response, { message: "It is there already.", details: undefined }) : response;
    },
  ),
  ...mutantPerValue("REPO-REGISTER-ROUTE", "access mode", "answers 202 to a registration that is * instead of 201", (mode) =>
    changeRegistrationBy(mode, 201, (response) => ({ ...response, status: 202 })),
  ),
  ...mutantPerValue(
    "REPO-REGISTER-DISCOVERS",
    "access mode",
    "starts no discovery in a repository that is * instead of one",
    (mode) =>
      changeRegistrationBy(mode, 201, (response, world) => {
        world.schedule = world.schedule.filter(({ event }) => event !== "enqueue-discovery");
        return response;
      }),
  ),
  ...mutantPerValue(
    "REPO-REGISTER-TWICE",
    "access mode",
    "answers 400 to a second registration that is * instead of 409",
    (mode) =>
      changeRegistrationBy(mode, 409, (response) => ({ ...withError(response, { type: "invalid_request_error" }), status: 400 })),
  ),
  ...mutantPerValue(
    "REPO-REGISTER-TWICE",
    "access mode",
    "accepts a second registration that is * instead of refusing it",
    (mode) => changeRegistrationBy(mode, 409, (response) => ({ ...response, status: 201, body: { discover_job_id: null } })),
  ),
  ...mutantPerValue(
    "REPO-REGISTER-TWICE-ECHO",
    "access mode",
    "leaves the existing repository out of a refused second registration by one that is * instead of naming it",
    (mode) =>
      changeRegistrationBy(mode, 409, (response) => withError(response, { message: "It is there already.", details: {} })),
  ),
  {
    name: "refuses another branch as the same repository instead of registering it",
    breaks: "REPO-REGISTER-OTHER-BRANCH",
    around(world, call, perform) {
      const { owner, repo } = getBody(call);
      const same = Object.values(world.repos).find((row) => row.owner === owner && row.repo === repo && row.deleted_at === null);
      return perform(world, getRoute(call) === registerRoute && same ? withBody(call, { branch: same.branch }) : call);
    },
  },
  {
    name: "lists the discovery of a registration after twenty seconds instead of at once",
    breaks: "REPO-REGISTER-DISCOVERS-SOON",
    around: createRegistrationMutant((response, world) => {
      world.schedule = world.schedule.filter(({ event }) => event !== "enqueue-discovery");
      scheduleEvent(world, { at: world.now + 20_000, event: "enqueue-discovery", repo: newest(world).id });
      return response;
    }),
  },
  {
    name: "starts the discovery of a registration before the next tick instead of at it",
    breaks: "REPO-REGISTER-DISCOVERS-WAITS",
    around(world, call, perform) {
      for (const job of Object.values(world.jobs)) if (job.workflow === "discover") dispatch(world, job);
      return perform(world, call);
    },
  },
  {
    name: "starts no discovery while another one runs instead of starting it",
    breaks: "REPO-REGISTER-DISCOVERS",
    around: createWithoutDiscovery(
      ({ jobs, schedule }) =>
        schedule.some(({ event }) => event === "enqueue-discovery") ||
        Object.values(jobs).some((job) => job.workflow === "discover" && job.finished_at === null),
    ),
  },
  {
    name: "starts no discovery of a second branch instead of one",
    breaks: "REPO-REGISTER-DISCOVERS",
    around: createWithoutDiscovery(({ repos }, { owner, repo }) =>
      Object.values(repos).some((row) => row.owner === owner && row.repo === repo && row.deleted_at === null),
    ),
  },
];

/** A fault in the registration of a repository that was registered and deleted before. */
function again(
  breaks: Mutant["breaks"],
  name: string,
  change: (perform: () => ServiceResponse, world: World) => ServiceResponse,
): Mutant {
  const around = wrapRoute("POST /api/repos", (world, call, perform) => {
    const { owner, repo } = getBody(call);
    const isKnown = Object.values(world.repos).some((row) => row.owner === owner && row.repo === repo && row.deleted_at !== null);
    return isKnown ? change(() => perform(world, call), world) : perform(world, call);
  });
  return { name, breaks, around };
}

/** Changes the response to a registration, or what follows from it. */
function createRegistrationMutant(change: (response: ReturnType<WrapCall>, world: World) => ReturnType<WrapCall>): WrapCall {
  return (world, call, perform) => {
    const response = perform(world, call);
    return getRoute(call) === registerRoute && response.status === 201 ? change(response, world) : response;
  };
}

function newest(world: World): Repo {
  return Object.values(world.repos).toSorted((a, b) => b.serial - a.serial)[0]!;
}

function createWithoutDiscovery(isMeant: (world: World, body: Record<string, unknown>) => boolean): WrapCall {
  return wrapRoute(registerRoute, (world, call, perform) => {
    const isIntended = isMeant(world, getBody(call));
    const response = perform(world, call);
    if (isIntended) forgetDiscoveries(world, Object.keys(world.repos).at(-1));
    return response;
  });
}
