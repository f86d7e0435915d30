import type { Change, CleanupRules } from "../engine/cleanup/rules.js";
import { bodyJson, type Exchange } from "../engine/http/exchange.js";
import { isRecord } from "../engine/scenario/interpolate.js";
import { isToolServer, type Target } from "../engine/target/target.js";
import { type Action, idIn } from "./cleanup/acts.js";
import { changeOf, isUndoing, jobEnded, keyRevoked, REVOKE } from "./cleanup/changes.js";
import { type ObservationStates, openObservationStates } from "./cleanup/observations.js";
import { planned } from "./cleanup/planned.js";
import { restAction } from "./cleanup/routes.js";
import { rowsOf } from "./cleanup/rows.js";
import { toolAction } from "./cleanup/tools.js";
import { jobsEnded } from "./statements/jobs.js";
import { target as rules } from "./target.js";

/** What requests do to a server and how it is put back: work first, since it costs; repositories last, since the rest may lie in them. */
export const cleanup: CleanupRules = {
  order: ["job", "observation", "setting", "ticket", "key", "repository"],
  openReader(target) {
    const observations = openObservationStates();
    return {
      read(exchange, isOpen) {
        const shown = shownIn(exchange);
        const { method, url } = exchange.request;
        // the answer to a change shows what it led to
        if (method === "GET" && exchange.response && exchange.response.status < 300) observations.see(shown);
        const action = isToolServer(rules, target, url) ? toolAction(exchange, target) : restAction(exchange, target);
        const counts = action && (exchange.response || !isUndoing(action));
        return [...endedJobs(shown), ...(counts ? changesOf(action, observations, target, isOpen) : [])];
      },
      readEvent(event, values, answer) {
        if (event === REVOKE) return [keyRevoked(String(values.key_id))];
        if (event === "finish-job") return [jobEnded(String(values.job_id))];
        const result = isRecord(answer) && isRecord(answer.result) ? answer.result : {};
        return event === "find" && typeof result.ref === "string" ? observations.own(result.ref) : [];
      },
    };
  },
  planned,
};

function changesOf(
  { act, id, ...rest }: Action,
  observations: ObservationStates,
  target: Target,
  isOpen: (subject: string) => boolean,
): Change[] {
  if (act.on === "observation") return [observations.change(id ?? "", act.act)];
  return [changeOf({ act, id, ...rest }, target, isOpen) ?? []].flat();
}

/** The resources that an answer shows: itself, or the rows of a list. */
function shownIn({ response }: Exchange): Record<string, unknown>[] {
  const body = response && bodyJson(response);
  return body?.ok && isRecord(body.value) ? [body.value, ...rowsOf(body.value)] : [];
}

function endedJobs(shown: readonly Record<string, unknown>[]): Change[] {
  return shown.flatMap(({ id, status }) => {
    const ended = jobsEnded.some((one) => one === status) ? idIn(id) : undefined;
    return ended === undefined ? [] : [jobEnded(ended)];
  });
}
