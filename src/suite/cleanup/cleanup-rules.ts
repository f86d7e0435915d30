import type { Change, CleanupRules } from "../../engine/cleanup/rules.js";
import { type Exchange, parseBodyJson } from "../../engine/http/exchange.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import { isToolServer, type Target } from "../../engine/target/target.js";
import { finalStatuses } from "../statements/jobs.js";
import { target as rules } from "../target/target-rules.js";
import { type ObservationStates, openObservationStates } from "./observation-states.js";
import { type RequestChange, readId } from "./operation-changes.js";
import { plannedKinds } from "./plan.js";
import { findRestChange } from "./rest-changes.js";
import { createJobEnd, createKeyEnd, createSideEffectChange, isUndo, REVOKE_UNDO, readRows } from "./side-effects.js";
import { findToolChange } from "./tool-changes.js";

/**
 * States how requests change a server and how the runner undoes it. Jobs come first because they cost money; repositories come last because they
 * contain the rest.
 */
export const cleanup: CleanupRules = {
  order: ["job", "observation", "setting", "ticket", "key", "repository"],
  openReader(target) {
    const observations = openObservationStates();
    return {
      read(exchange, isOpen) {
        const shown = listShown(exchange);
        const { method, url } = exchange.request;
        // the response to a write shows the state after it
        if (method === "GET" && exchange.response && exchange.response.status < 300) observations.see(shown);
        const action = isToolServer(rules, target, url) ? findToolChange(exchange, target) : findRestChange(exchange, target);
        const counts = action && (exchange.response || !isUndo(action));
        return [...listEndedJobs(shown), ...(counts ? listChanges(action, observations, target, isOpen) : [])];
      },
      readEvent(event, values, response) {
        if (event === REVOKE_UNDO) return [createKeyEnd(String(values.key_id))];
        if (event === "finish-job") return [createJobEnd(String(values.job_id))];
        const result = isRecord(response) && isRecord(response.result) ? response.result : {};
        return event === "find" && typeof result.ref === "string" ? observations.own(result.ref) : [];
      },
    };
  },
  planned: plannedKinds,
};

function listChanges(
  { act, id, ...rest }: RequestChange,
  observations: ObservationStates,
  target: Target,
  isOpen: (subject: string) => boolean,
): Change[] {
  if (act.on === "observation") return [observations.change(id ?? "", act.act)];
  return [createSideEffectChange({ act, id, ...rest }, target, isOpen) ?? []].flat();
}

/** Returns the resources that a response shows: the body itself, or the rows of a list. */
function listShown({ response }: Exchange): Record<string, unknown>[] {
  const body = response && parseBodyJson(response);
  return body?.ok && isRecord(body.value) ? [body.value, ...readRows(body.value)] : [];
}

function listEndedJobs(shown: readonly Record<string, unknown>[]): Change[] {
  return shown.flatMap(({ id, status }) => {
    const ended = finalStatuses.some((finalStatus) => finalStatus === status) ? readId(id) : undefined;
    return ended === undefined ? [] : [createJobEnd(ended)];
  });
}
