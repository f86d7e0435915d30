import type { Points } from "./point.js";

const LONG_MESSAGE = "This message is long on purpose. ".repeat(60);

/** The open points of bodies and answers. */
export const ofResponses: Points = {
  "ACTION-STATUS": {
    "204 without a body": {
      done: { triage: 204, cancel: 204, fix: 201, ticket: 204, reset: 204, key: 201, patch: 204 },
      quiet: true,
    },
    "202 for a fix": { done: { triage: 200, cancel: 200, fix: 202, ticket: 201, reset: 200, key: 201, patch: 200 } },
    "Any other 2xx": { done: { triage: 202, cancel: 202, fix: 200, ticket: 202, reset: 202, key: 200, patch: 202 } },
  },
  "ACTION-BODY": { "An empty object": { changed: "nothing" }, "Another JSON value": { changed: "word" } },
  "INVALID-FALLBACK": { "405 without `Allow`": { allow: false } },
  "STATUS-CHOICE": {
    "404 for an unsupported method": { strangeMethodHttp: 404 },
    "400 for an observation that cannot be fixed": { unfixableHttp: 400 },
    "422 for a body that is not JSON": { malformedHttp: 422 },
    "400 for a ref of another form": { strangeRefHttp: 400 },
  },
  "VALIDATION-ERRORS": { "At the top of the body": { faultsIn: "body" }, "Under `error.details`": { faultsIn: "details" } },
  "ERRORS-CUT": { "No limit": { faultsMost: 100_000 } },
  "MESSAGE-LENGTH": { "No limit": { say: (text) => `⚠ ${text} ⚠ ${LONG_MESSAGE}` } },
  "ERROR-CODES": { "Any other slugs": { code: (words) => words.replaceAll(" ", "-") } },
  "FEATURE-NAMES": { "One string": { featureNames: "text" } },
  "EXTRA-FIELDS": {
    None: "The plain server has few, and none by a name that the mock has.",
    Others: {
      adorn: (ageSeconds) => ({ _links: { self: { href: "/somewhere" } }, "x-flags": [], locale: null, age_s: ageSeconds }),
      errorExtras: { help: "https://help.example/errors", severity: 3 },
    },
  },
  "QUERY-REPEATED": { "The first counts": { repeated: "first" }, "The last counts": { repeated: "last" } },
  "BODY-EXTRA": {
    "422 for an unlisted field": { bodyExtra: "unprocessable" },
    "400 for a body that is not taken": { bodyExtra: "untaken refused" },
  },
  "BODY-LIMITS": { "Any other figure": { maxBytes: 64_000_000 } },
  "BODY-TYPE": {
    "A missing type means JSON": { missingTypeIsJson: true },
    "400 for another type": { otherContentHttp: 400 },
    "The type is ignored": { otherContentHttp: undefined },
  },
};
