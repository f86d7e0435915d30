import type { ClauseId } from "../../contract/types.js";
import { isSameClient, keep, momentOf } from "../memory.js";
import type { Rule } from "../rule.js";

/** The refusals of a key that never works again. A suspended workspace and a foreign network are others: there it can work again. */
const deadKeyClauses: Readonly<Record<string, ClauseId>> = { expired_key: "KEY-EXPIRY-401", revoked_key: "KEY-STATE-REVOKED" };
/** One further call may be a retry. */
const mostCalls = 2;

/** What a client does with a key that has ended. */
export const keyRules: Rule[] = [
  {
    id: "goes-on-with-dead-key",
    clauses: ["KEY-EXPIRY-401", "KEY-STATE-REVOKED"],
    severity: "discouraged",
    says: "A key that was refused as expired or revoked was sent again and again. It never works again: stop, and have a new key created.",
    check(call, memory) {
      const { deadKeys } = memory;
      const dead = deadKeys.size === 0 ? undefined : deadKeys.get(call.caller);
      // one finding for each dead key, at the call that shows that it was no single retry
      if (!dead || call.status !== 401 || dead.calls + 1 !== mostCalls || !isSameClient(dead, call, memory)) return null;
      return { broken: `it had been refused with ${dead.code}`, clause: deadKeyClauses[dead.code]! };
    },
    learn(call, memory) {
      const { deadKeys } = memory;
      const { status, caller, exchange } = call;
      if (deadKeys.size > 0 && status !== 401) deadKeys.delete(caller);
      if (status !== 401 || exchange.bent || caller === "") return;
      const dead = deadKeys.get(caller);
      const code = exchange.refusal ?? call.code ?? "";
      if (dead && !isSameClient(dead, call, memory)) return;
      if (dead) keep(deadKeys, caller, { ...momentOf(call), code: dead.code, calls: dead.calls + 1 });
      else if (code in deadKeyClauses) keep(deadKeys, caller, { ...momentOf(call), code, calls: 0 });
    },
  },
];
