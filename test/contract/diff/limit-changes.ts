import type { Row } from "./changes.js";

/** Changes of a limit of the published document. */
export const limitRows: readonly Row[] = [
  {
    what: "a smaller maximum of a parameter",
    change: (document) => {
      document.components.parameters.Limit.schema.maximum = 100;
    },
    line: "GET /api/observations query limit: maximum is 100, was 200",
    impact: "breaks-callers",
    oasdiff: "error request-parameter-max-decreased",
  },
  {
    what: "a larger maximum of a parameter",
    change: (document) => {
      document.components.parameters.Limit.schema.maximum = 500;
    },
    line: "GET /api/observations query limit: maximum is 500, was 200",
    impact: "contradicts-contract",
    oasdiff: "info request-parameter-max-increased",
    because: "the contract refuses a limit above 200",
  },
  {
    what: "a smaller longest length in a body",
    change: (document) => {
      document.components.schemas.Dismissal.properties.dismissal_note.maxLength = 400;
    },
    line: "POST /api/observations/{ref}/dismiss body/dismissal_note: maxLength is 400, was 500",
    impact: "breaks-callers",
    oasdiff: "error request-property-max-length-decreased",
  },
  {
    what: "a larger shortest length in a body",
    change: (document) => {
      document.components.schemas.Dismissal.properties.dismissal_note.minLength = 20;
    },
    line: "POST /api/observations/{ref}/dismiss body/dismissal_note: minLength is 20, was 10",
    impact: "breaks-callers",
    oasdiff: "error request-property-min-length-increased",
  },
  {
    what: "a body without its longest length",
    change: (document) => delete document.components.schemas.Reopening.properties.reopen_reason.maxLength,
    line: "POST /api/observations/{ref}/reopen body/reopen_reason: has no maxLength",
    impact: "absent",
  },
  {
    what: "a minimum in a body that is no longer exclusive",
    change: (document) => {
      document.components.schemas.KeyChange.properties.dollars_per_hour = { type: "number", minimum: 0 };
    },
    line: "PATCH /api/keys/{key_id} body/dollars_per_hour: minimum is 0, was 0 (exclusive)",
    impact: "contradicts-contract",
  },
];
