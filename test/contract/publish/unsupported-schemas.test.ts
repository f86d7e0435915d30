import { describe, expect, test } from "vitest";

import { contract } from "../../../src/contract/load.js";
import { createStrictOpenApi, publishOpenApi } from "../../../src/contract/publish.js";
import { findUnsupported, type Json } from "./unsupported-schemas.js";

// biome-ignore lint/suspicious/noExplicitAny: the document is changed at any place
type Spoil = (document: any) => unknown;

const audit = "/api/repos/{org}/{repository}/{ref_name}/jobs";
const page = "#/components/schemas/PageOfJob";

/** Each kind of fault, and the line that reports it. */
const faults: [what: string, spoil: Spoil, line: string][] = [
  [
    "a page put together of parts",
    ({ components: { schemas } }) => (schemas.PageOfJob.allOf = [{ $ref: "#/components/schemas/Job" }]),
    `${page}: says allOf`,
  ],
  ["a page with a condition", ({ components: { schemas } }) => (schemas.PageOfJob.if = {}), `${page}: says if`],
  [
    "null as an alternative",
    ({ components: { schemas } }) =>
      (schemas.Observation.properties.acknowledged_at = { anyOf: [{ type: "string" }, { type: "null" }] }),
    "#/components/schemas/Observation/properties/acknowledged_at: says anyOf",
  ],
  [
    "null alone",
    ({ components: { schemas } }) => (schemas.Registration.properties.discover_job_id = { type: "null" }),
    "#/components/schemas/Registration/properties/discover_job_id: is null and nothing else",
  ],
  [
    "several types",
    ({ components: { schemas } }) => (schemas.Job.properties.id = { type: ["string", "integer"] }),
    "#/components/schemas/Job/properties/id: is of several types",
  ],
  [
    "a list of values that may be null",
    ({ components: { schemas } }) => {
      schemas.Observation.properties.close_reason = { type: ["string", "null"], enum: ["fixed", null] };
    },
    "#/components/schemas/Observation/properties/close_reason: lists values, and may be null",
  ],
  [
    "an object without a name",
    ({ components: { schemas } }) =>
      (schemas.FixSpawn.properties.observation = { type: "object", properties: { ref: { type: "string" } } }),
    "#/components/schemas/FixSpawn/properties/observation: is an object without a name",
  ],
  [
    "a body without a name",
    ({ paths }) => (paths[audit].post.requestBody.content["application/json"].schema = { type: "object", properties: {} }),
    `#/paths/${audit}/post/requestBody/content/application/json/schema: is an object without a name`,
  ],
  [
    "more beside a reference",
    ({ components: { responses } }) => (responses.NotFound.content["application/json"].schema.description = "…"),
    "#/components/responses/NotFound/content/application/json/schema: says more beside a reference",
  ],
  [
    "a name of two components",
    ({ components }) => (components.parameters.Ref = components.parameters.ObservationRef),
    "#/components/parameters/Ref: shares its name",
  ],
  [
    "a schema without an example",
    ({ components: { schemas } }) => delete schemas.Slug.examples,
    "#/components/schemas/Slug: has no example",
  ],
  [
    "an invalid example",
    ({ components: { schemas } }) => (schemas.Slug.examples = ["web"]),
    '#/components/schemas/Slug: its example is wrong:  must match pattern "^[\\s\\S]+@[\\s\\S]+$"',
  ],
  [
    "a parameter without an example",
    ({ components: { parameters } }) => delete parameters.JobId.example,
    "#/components/parameters/JobId: has no example",
  ],
  [
    "a refusal with a wrong example",
    ({ components: { responses } }) =>
      (responses.Conflict.content["application/json"].examples = { one: { value: { error: {} } } }),
    "#/components/responses/Conflict/content/application/json: its example is wrong: /error must have required property 'type'",
  ],
  [
    "a refusal that is not listed",
    ({ paths }) => delete paths["/api/jobs/{job_id}/cancel"].post.responses[415],
    "POST /api/jobs/{job_id}/cancel: does not list 415",
  ],
  [
    "a refusal spelt out",
    ({ paths, components: { responses } }) => (paths["/api/jobs"].get.responses[429] = responses.TooManyRequests),
    "GET /api/jobs: spells out 429, a refusal that has no name",
  ],
  [
    "a key route without its server",
    ({ paths }) => delete paths["/api/keys"].servers,
    "POST /api/keys: wants a session, and names no server that takes one",
  ],
  ["no licence", ({ info }) => delete info.license, "info: has no license"],
];

describe("the published document", () => {
  test("has only what code generators support", () => expect(findUnsupported(publishOpenApi() as Json)).toEqual([]));

  test.each(faults)("is reported when it has %s", (_, spoilDocument, line) => {
    const document = structuredClone(publishOpenApi());
    spoilDocument(document);
    expect(findUnsupported(document as Json)).toContain(line);
  });
});

describe("the strict document", () => {
  test("has every rule that the published one leaves out, in keywords that any validator knows", () => {
    const rules = JSON.stringify(contract.openapi).split('"x-rule":').length - 1;
    const parts = JSON.stringify(createStrictOpenApi()).split('"allOf":').length - 1;
    expect(parts).toBe(rules);
    expect(rules).toBeGreaterThan(12);
    expect(JSON.stringify(publishOpenApi())).not.toMatch(/"allOf"|"x-rule"|PageEnd/);
  });
});
