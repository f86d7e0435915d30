import type { World } from "../../src/service/world/world.js";
import { type Around, type Mutant, onRoute, param, sessionOf } from "./mutant.js";

/** Faults in what somebody may see and do who is signed in to another workspace: each takes a sign-in for one of where the thing is. */
export const signedInElsewhereMutants: Mutant[] = [
  fault("lists to who is signed in the repositories of another workspace", "GET /api/repos", anotherThan, "REPO-LIST-ROUTE"),
  fault("lists to who is signed in the jobs of another workspace", "GET /api/jobs", anotherThan, "JOB-LIST-WORKSPACE-ROUTE"),
  fault("shows the observations of every workspace to who is signed in", "GET /api/observations/{ref}", ofObservation),
  fault("shows the jobs of every workspace to who is signed in", "GET /api/jobs/{job_id}", ofJob),
  fault("lets who is signed in dismiss in every workspace", "POST /api/observations/{ref}/dismiss", ofObservation),
  fault("lets who is signed in cancel jobs in every workspace", "POST /api/jobs/{job_id}/cancel", ofJob),
];

type Place = (world: World, name: (part: string) => string, own: string) => string | undefined;

function fault(name: string, route: string, place: Place, breaks: Mutant["breaks"] = "ERR-TYPE-NOTFOUND"): Mutant {
  const around: Around = (world, call, perform) => {
    const session = call.authorization === undefined ? sessionOf(world, call) : undefined;
    if (!session) return perform(world, call);
    const workspace = place(world, (part) => param(call, part), session.workspace);
    const other = Object.values(world.sessions).find((one) => one.workspace === workspace);
    return perform(world, { ...call, cookie: other?.token ?? call.cookie });
  };
  return { name, breaks, around: onRoute(route, around) };
}

function anotherThan({ workspaces }: World, _name: unknown, own: string): string | undefined {
  return Object.keys(workspaces).find((id) => id !== own);
}

function ofObservation({ observations }: World, name: (part: string) => string): string | undefined {
  return observations[name("ref")]?.workspace;
}

function ofJob({ jobs }: World, name: (part: string) => string): string | undefined {
  return jobs[name("job_id")]?.workspace;
}
