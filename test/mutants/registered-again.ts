import type { Reply } from "../../src/service/call.js";
import type { Repo, World } from "../../src/service/world/world.js";
import { bodyOf, type Mutant, onRoute, repoOf, withError } from "./mutant.js";

/** Faults in a repository that was there before, was deleted, and comes again. */
export const registeredAgainMutants: Mutant[] = [
  again("REPO-REGISTER-DISCOVERS", "discovers nothing in a repository that is registered again", (perform, world) => {
    const reply = perform();
    if (reply.status === 201) world.agenda = world.agenda.filter(({ event }) => event !== "enqueue-discovery");
    return reply;
  }),
  again("REPO-REGISTER-TWICE", "takes what was registered again for new", (perform) => {
    const reply = perform();
    return reply.status === 409 ? { ...reply, status: 201, body: { discover_job_id: null } } : reply;
  }),
  again("REPO-REGISTER-TWICE-ECHO", "does not say what is there already where it was registered again", (perform) => {
    const reply = perform();
    return reply.status === 409 ? withError(reply, { message: "It is there already.", details: undefined }) : reply;
  }),
  {
    name: "keeps what is deleted for the second time",
    breaks: "REPO-DELETE-GONE",
    around: onRoute("DELETE /api/repos/{owner}/{repo}/{branch}", (world, call, perform) => {
      const repo = repoOf(world, call);
      const reply = perform(world, call);
      if (repo && wasThere(world, repo)) repo.deleted_at = null;
      return reply;
    }),
  },
];

/** A fault in registering what was registered and deleted before. */
function again(breaks: Mutant["breaks"], name: string, change: (perform: () => Reply, world: World) => Reply): Mutant {
  const around = onRoute("POST /api/repos", (world, call, perform) => {
    const { owner, repo } = bodyOf(call);
    const isKnown = Object.values(world.repos).some((row) => row.owner === owner && row.repo === repo && row.deleted_at !== null);
    return isKnown ? change(() => perform(world, call), world) : perform(world, call);
  });
  return { name, breaks, around };
}

function wasThere({ repos }: World, { id, owner, repo }: Repo): boolean {
  return Object.values(repos).some((row) => row.id !== id && row.owner === owner && row.repo === repo);
}
