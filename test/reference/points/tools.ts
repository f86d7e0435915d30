import { NEWEST } from "../rpc-2026.js";
import type { Points } from "./point.js";

/** The tool server. */
export const ofTools: Points = {
  "TOOL-NAMES": {
    "Any other names": {
      toolName: (purpose) => (purpose === "list_observations" ? purpose : `svc.${purpose.replaceAll("_", "-")}`),
      argumentName: (name) => `in_${name}`,
    },
    "A slug instead of owner, repository and branch": { toolRepo: "slug" },
  },
  "MCP-SCOPE-REFUSAL": { "A JSON-RPC error": { scopeRefusal: "protocol" }, "HTTP 403": { scopeRefusal: "http" } },
  "MCP-UNAUTHENTICATED": {
    "401 without a challenge header": { challenge: false },
    "A challenge of REST too": { restChallenge: true },
  },
  "APP-HOST-BARE": { "405": { appBareHttp: 405 }, "A 5xx of the front end": { appBareHttp: 502 } },
  "MCP-BARE-METHODS": { "405 for other methods": { bareMethods: "POST" } },
  "MCP-MESSAGES": {
    Sessions: { toolSessions: true },
    "Event streams": { toolStreams: true },
    "Other line ends and fields of a stream": { streamForm: "returns" },
    "A stream of one event": { streamForm: "bare" },
    "Revision 2026-07-28 alone": { revisions: [NEWEST], toolHeaders: true },
    "Revision 2026-07-28 and earlier ones": { revisions: ["2025-03-26", NEWEST] },
    "406 for a request that does not accept both media types": { acceptStrict: true },
  },
  "MCP-SESSIONS": { "Any other bound": { sessionMinutes: 5 } },
  "MCP-ARGUMENT-ORDER": { "The scope first": { scopeBeforeArguments: true } },
  "MCP-SEARCH": { "In locations too": { search: "locations too" }, "With letter case": { search: "same case" } },
  "MCP-RULES": { "Rules of their own kind": { rules: "objects" } },
  "MCP-REQUEST-FIX": { "Ended jobs too": { requestFix: "any" } },
};
