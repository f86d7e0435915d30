import type { ClauseId } from "../../contract/types.js";
import { createMoment, isSameClient, setBounded } from "../memory.js";
import type { Rule } from "../rule.js";

/** The refusals after which a key never works again. A key can work again after a suspension of its workspace, or in another network. */
const deadKeyClauses: Readonly<Record<string, ClauseId>> = { expired_key: "KEY-EXPIRY-401", revoked_key: "KEY-STATE-REVOKED" };
/** One more call may be a retry. */
const maxCalls = 2;

/** The rules about keys that have ended. */
export const keyRules: Rule[] = [
  {
    id: "goes-on-with-dead-key",
    clauses: ["KEY-EXPIRY-401", "KEY-STATE-REVOKED"],
    severity: "discouraged",
    message: "The client went on with a key that was refused as expired or revoked. The key never works again: create a new one.",
    check(call, memory) {
      const { deadKeys } = memory;
      const deadKey = deadKeys.size === 0 ? undefined : deadKeys.get(call.caller);
      // one finding for each dead key, at the second call after the refusal
      if (!deadKey || call.status !== 401 || deadKey.calls + 1 !== maxCalls || !isSameClient(deadKey, call, memory)) return null;
      return { broken: `it had been refused with ${deadKey.code}`, clause: deadKeyClauses[deadKey.code]! };
    },
    learn(call, memory) {
      const { deadKeys } = memory;
      const { status, caller, exchange } = call;
      if (deadKeys.size > 0 && status !== 401) deadKeys.delete(caller);
      if (status !== 401 || exchange.overridden || caller === "") return;
      const deadKey = deadKeys.get(caller);
      const code = exchange.refusal ?? call.code ?? "";
      if (deadKey && !isSameClient(deadKey, call, memory)) return;
      if (deadKey) setBounded(deadKeys, caller, createMoment(call, { code: deadKey.code, calls: deadKey.calls + 1 }));
      else if (code in deadKeyClauses) setBounded(deadKeys, caller, createMoment(call, { code, calls: 0 }));
    },
  },
];
