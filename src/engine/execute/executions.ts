import type { Exchange } from "../http/exchange.js";
import type { Wire } from "../http/rest.js";
import { explainStop, type Run } from "./run.js";
import { findLoss } from "./server-presence.js";

/** The executions of one scenario or of one case of a property: the first, and repetitions after a lost connection. */
export interface Executions {
  /** Begins an execution. Returns its run, which notes the lost connections, and its unique name. */
  begin(): { run: Run; unique: string };
  /** Returns whether to run it again. Waits for the server before that. */
  mayRepeat(isSettled: boolean): Promise<boolean>;
}

/** Opens the executions of a scenario or a case. Without `outages` of the run there is one execution. */
export function openExecutions(run: Run, name: string, unique: string): Executions {
  const { outages } = run;
  const firstLosses: number[] = [];
  let executions = 0;
  let lostExchanges: Exchange[] = [];
  let absencesBefore = 0;
  return {
    begin() {
      executions += 1;
      lostExchanges = [];
      absencesBefore = outages?.absences() ?? 0;
      const ownRun = outages
        ? noteLosses(run, (exchange, sent) => lostExchanges.push(exchange) === 1 && firstLosses.push(sent))
        : run;
      return { run: ownRun, unique: executions === 1 ? unique : `${unique}-p${executions}` };
    },
    async mayRepeat(isSettled) {
      if (!outages || explainStop(run) !== undefined) return false;
      return outages.mayRepeat({
        name,
        executions,
        lost: lostExchanges,
        firstLosses,
        absencesBefore,
        isSettled,
        isFresh: run.target.worlds !== undefined,
      });
    },
  };
}

/** Returns a run that reports each request without a response, with the number of requests before it. */
function noteLosses(run: Run, onLoss: (exchange: Exchange, sentBefore: number) => void): Run {
  let sent = 0;
  const recordingWire = (wire: Pick<Wire, "send">): Pick<Wire, "send"> => ({
    async send(request, signal) {
      const sentBefore = sent++;
      const exchange = await wire.send(request, signal);
      if (findLoss(exchange) !== undefined) onLoss(exchange, sentBefore);
      return exchange;
    },
  });
  return { ...run, wire: { ...run.wire, ...recordingWire(run.wire) }, hookWire: recordingWire(run.hookWire) };
}
