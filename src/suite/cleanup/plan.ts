import type { PlannedKind } from "../../engine/cleanup/rules.js";
import { findOperationAt, findOperationStatement, findToolOperation, type Operation } from "../statements/operations.js";
import { isToolPurpose } from "../statements/tools.js";
import { type OperationChange, operationChanges } from "./operation-changes.js";
import { REVOKE_UNDO } from "./side-effects.js";

interface PlannedRow {
  what: string;
  /** Returns whether a change belongs to this row. */
  by(act: OperationChange): boolean;
  outcome: PlannedKind["outcome"];
}

/** Webhooks are absent: no scenario subscribes to any. */
const rows: readonly PlannedRow[] = [
  {
    what: "repositories registered",
    by: ({ act }) => act === "register",
    outcome: listAlreadyUndone("deleted; the discovery that each registration starts is cancelled"),
  },
  {
    what: "jobs started",
    by: ({ on, act }) => on === "job" && act === "start",
    outcome: planOutcome("cancelled if they have not ended; a job cannot be deleted, so it stays in the lists"),
  },
  {
    what: "keys created",
    by: ({ on }) => on === "key",
    outcome: ({ drive }) =>
      Object.hasOwn(drive, REVOKE_UNDO)
        ? { after: "revoked", stays: false }
        : {
            after: `stay: the contract shows no way to revoke one, and the target file has no drive.${REVOKE_UNDO}`,
            stays: true,
          },
  },
  {
    what: "observations closed or reopened",
    by: ({ on, act }) => on === "observation" && act !== "acknowledge",
    outcome: listAlreadyUndone("restored to their earlier state, except those that were fixed or expired"),
  },
  {
    what: "observations acknowledged",
    by: ({ act }) => act === "acknowledge",
    outcome: planOutcome("stay acknowledged: this cannot be undone"),
  },
  { what: "tickets published", by: ({ on }) => on === "ticket", outcome: planOutcome("stay in the tracker") },
  {
    what: "settings changed",
    by: ({ act }) => act === "set",
    outcome: listAlreadyUndone("cleared or set again; the earlier value is not restored"),
  },
  {
    what: "resets of repositories",
    by: ({ act }) => act === "reset",
    outcome: planOutcome("stay reset, which cannot be undone; the run resets only repositories that it registered"),
  },
];

/** The resources that a run may create or change, in the order of the plan. */
export const plannedKinds: readonly PlannedKind[] = rows.map(({ what, by: isOperation, outcome }) => {
  const operations = (Object.keys(operationChanges) as Operation[]).filter((operation) => isCausedBy(operation, isOperation));
  return {
    what,
    paid: operations.every((operation) => findOperationStatement(operation).effect === "paid"),
    isMadeBy({ method, path, purpose }) {
      const operation = purpose === undefined ? findOperationAt(method, path) : findOperation(purpose);
      return operations.some((one) => one === operation);
    },
    outcome,
  };
});

function findOperation(purpose: string): Operation | undefined {
  return isToolPurpose(purpose) ? findToolOperation(purpose) : undefined;
}

function isCausedBy(operation: Operation, isOperation: PlannedRow["by"]): boolean {
  const act = operationChanges[operation];
  return act !== undefined && isOperation(act);
}

function listAlreadyUndone(after: string): PlannedKind["outcome"] {
  return () => ({ after, stays: false });
}

function planOutcome(after: string): PlannedKind["outcome"] {
  return () => ({ after, stays: true });
}
