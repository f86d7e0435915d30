import type { Demand } from "../play/demand.js";
import { mustBeRefused } from "../play/effects.js";
import type { Target } from "../target/target.js";

/** Something that a plan makes or changes on the server, and what becomes of it. */
export interface Making {
  what: string;
  count: number;
  /** How it is taken back; or why it stays. */
  after: string;
  stays: boolean;
}

interface Sort {
  what: string;
  /** Routes, and purposes of tools, that make it. */
  by: RegExp;
  after(target: Target): string;
  stays?(target: Target): boolean;
}

/** A step that says of itself that it is not paid starts nothing. */
const STARTS_WORK = /^POST \/api\/(repos|repos\/.*\/jobs|jobs\/[^/]+\/retry|observations\/[^/]+\/fix)(\?|$)/;
const REVOKE = "revoke-key";

/** In the order in which they are told. Webhooks are none: no scenario subscribes to any. */
const SORTS: readonly Sort[] = [
  {
    what: "repositories registered",
    by: /^POST \/api\/repos$|^register_repository$/,
    after: () => "deleted again; the discovery that each starts is cancelled",
  },
  {
    what: "jobs started",
    by: /^POST \/api\/(repos\/.*\/jobs|jobs\/[^/]+\/retry|observations\/[^/]+\/fix)$|^(submit_job|submit_fix|retry_job)$/,
    after: () => "cancelled if they have not ended; a job cannot be deleted, so it stays in the lists",
    stays: () => true,
  },
  {
    what: "keys created",
    by: /^POST \/api\/keys$/,
    after: ({ drive }) =>
      REVOKE in drive
        ? "revoked again"
        : "stay: the contract shows no way to revoke one, and the target file has no drive.revoke-key",
    stays: ({ drive }) => !(REVOKE in drive),
  },
  {
    what: "observations closed or reopened",
    by: /^POST \/api\/observations\/[^/]+\/(dismiss|complete|reopen)$|^(dismiss|complete|reopen)_observation$/,
    after: () => "put back to the state they had; one that was fixed or expired and is reopened cannot be",
  },
  {
    what: "observations acknowledged",
    by: /^POST \/api\/observations\/[^/]+\/acknowledge$|^acknowledge_observation$/,
    after: () => "stay acknowledged: nothing takes it back",
    stays: () => true,
  },
  {
    what: "tickets published",
    by: /^POST \/api\/observations\/[^/]+\/publish-ticket$|^create_ticket$/,
    after: () => "stay in the tracker",
    stays: () => true,
  },
  {
    what: "settings changed",
    by: /^(set_\w+|update_repository_metadata)$/,
    after: () => "cleared or set again; what one was before is not shown",
  },
  {
    what: "resets of repositories",
    by: /^POST \/api\/repos\/.*\/reset$/,
    after: () => "of repositories that the run registered; what a reset wipes is gone",
    stays: () => true,
  },
];

/** What some requests make or change, if the server takes them: those that it must refuse make nothing. */
export function makingsOf(demands: readonly Demand[], target: Target): Making[] {
  const taken = demands.filter(({ step, paid }) => !mustBeRefused(step) && (paid > 0 || !STARTS_WORK.test(step.rest ?? "")));
  return SORTS.flatMap(({ what, by, after, stays }) => {
    const count = taken.filter((demand) => by.test(nameOf(demand))).reduce((sum, demand) => sum + demand.count, 0);
    return count === 0 ? [] : [{ what, count, after: after(target), stays: stays?.(target) ?? false }];
  });
}

function nameOf({ method, path, step }: Demand): string {
  const mcp = step.mcp ?? step.burst?.mcp;
  return mcp ? (mcp.tool ?? mcp.call ?? "") : `${method} ${path.replace(/\?.*/, "")}`;
}
