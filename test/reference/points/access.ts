import type { Points } from "./point.js";

/** Keys, sign-in, scopes and the checks of a request. */
export const ofAccess: Points = {
  "LIVE-KEYS": {
    "403 `permission_error`": { keyCapHttp: 403 },
    "400 `invalid_request_error`": { keyCapHttp: 400 },
    "Expired keys count until revoked": { expiredKeysCount: true },
  },
  "KEY-MANAGEMENT": { "401 `authentication_error`": { keyOnKeysHttp: 401 } },
  "KEY-PATCH": {
    "The immutable fields are ignored": { fixedFields: "ignored" },
    "422 for them": { fixedFields: "unprocessable" },
  },
  "KEY-CEILING-HIGH": { "422 for it": { ceilingAbovePlan: "refused" } },
  "KEY-RESPONSE": {
    "None is served": { keyExtras: false },
    "Another name for the full value": { keyValueField: "token" },
    "Fields that are not set are absent": { unsetKeyFields: "absent" },
  },
  "KEY-CREATE-BODY": { "Other names": { keyFields: { name: "label", scopes: "permissions" } } },
  "KEY-SCOPES-DEFAULT": {
    "Every scope of the creator": { defaultScopes: "creator's" },
    "422 without scopes": { defaultScopes: "required" },
    None: { defaultScopes: "none" },
  },
  "REST-SCOPES": { "Reads need no scope": { readsNeedScope: false } },
  "SCOPES-WITHOUT-TOOL": { "`delete_repo` alone to delete": { deleteNeedsScope: false } },
  "SCOPES-LITERAL": { "An implied scope may be kept": { impliedScopes: true } },
  "SESSION-RIGHTS": {
    "Scopes by role": { sessionScopes: "by role" },
    "A budget per person": { sessionPerMinute: 120 },
  },
  "WEB-SIGN-IN": {
    "Another cookie or token": { cookie: "token=*; region=eu" },
    "Only the routes of keys take it": { sessionRoutes: "keys" },
  },
  "CLIENT-ADDRESS": {
    "`X-Forwarded-For` of a known proxy": "The runner is on loopback, where such a proxy would be: it would itself be the proxy.",
  },
  WORLDS: { "One service per address": "It is the value `one world` of the code host behind the service." },
  "GATE-ORDER": {
    "Schema before scope": { gates: "schema first" },
    "Route before authentication": { gates: "route first" },
    "Scope before rate": { gates: "scope first" },
  },
  "UNKNOWN-PATH": { "404 in both cases": { pathBeforeKey: true } },
  "UNSHOWN-ROUTES": { "Routes of the vendor's own": { ownRoutes: true } },
  "TIMESTAMP-FORMS": { "Only RFC 3339, with an offset": { zoneless: false } },
  "FORCED-ERRORS": { "The header is ignored": "No reference server knows it, and the runner never sends it." },
};
