import type { PlannedKind } from "../../engine/cleanup/rules.js";
import { type Operation, operationAt, operationOfTool, textOf } from "../statements/operations.js";
import { isToolPurpose } from "../statements/tools.js";
import { type Act, acts } from "./acts.js";
import { REVOKE } from "./changes.js";

interface PlannedRow {
  what: string;
  /** The acts that make it. */
  by(act: Act): boolean;
  fate: PlannedKind["fate"];
}

/** Webhooks are none: no scenario subscribes to any. */
const rows: readonly PlannedRow[] = [
  {
    what: "repositories registered",
    by: ({ act }) => act === "register",
    fate: takenBack("deleted again; the discovery that each starts is cancelled"),
  },
  {
    what: "jobs started",
    by: ({ on, act }) => on === "job" && act === "start",
    fate: staying("cancelled if they have not ended; a job cannot be deleted, so it stays in the lists"),
  },
  {
    what: "keys created",
    by: ({ on }) => on === "key",
    fate: ({ drive }) =>
      Object.hasOwn(drive, REVOKE)
        ? { after: "revoked again", stays: false }
        : { after: `stay: the contract shows no way to revoke one, and the target file has no drive.${REVOKE}`, stays: true },
  },
  {
    what: "observations closed or reopened",
    by: ({ on, act }) => on === "observation" && act !== "acknowledge",
    fate: takenBack("put back to the state they had; one that was fixed or expired and is reopened cannot be"),
  },
  {
    what: "observations acknowledged",
    by: ({ act }) => act === "acknowledge",
    fate: staying("stay acknowledged: nothing takes it back"),
  },
  { what: "tickets published", by: ({ on }) => on === "ticket", fate: staying("stay in the tracker") },
  {
    what: "settings changed",
    by: ({ act }) => act === "set",
    fate: takenBack("cleared or set again; what one was before is not shown"),
  },
  {
    what: "resets of repositories",
    by: ({ act }) => act === "reset",
    fate: staying("of repositories that the run registered; what a reset wipes is gone"),
  },
];

/** What a run may make or change, in the order in which a plan names it. */
export const planned: readonly PlannedKind[] = rows.map(({ what, by, fate }) => {
  const operations = (Object.keys(acts) as Operation[]).filter((operation) => isBy(operation, by));
  return {
    what,
    paid: operations.every((operation) => textOf(operation).effect === "paid"),
    isMadeBy({ method, path, purpose }) {
      const operation = purpose === undefined ? operationAt(method, path) : operationOf(purpose);
      return operations.some((one) => one === operation);
    },
    fate,
  };
});

function operationOf(purpose: string): Operation | undefined {
  return isToolPurpose(purpose) ? operationOfTool(purpose) : undefined;
}

function isBy(operation: Operation, by: PlannedRow["by"]): boolean {
  const act = acts[operation];
  return act !== undefined && by(act);
}

function takenBack(after: string): PlannedKind["fate"] {
  return () => ({ after, stays: false });
}

function staying(after: string): PlannedKind["fate"] {
  return () => ({ after, stays: true });
}
