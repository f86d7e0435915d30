import { expect, test } from "vitest";
import { createRegistrationJson, readRegisteredRepository } from "../../../src/suite/target/registration-body.js";

const url = { register_body: { field: "clone_url", template: "https://code.example/{owner}/{repo}/{branch}" } };
const named = { register_body: { owner: "org", repo: "name", branch: "ref" } };
const mode = { access_mode: "anonymous" };

test.each<[string, object, Record<string, unknown>, unknown]>([
  ["three fields", { org: "acme", name: "web", ref: "main", ...mode }, named, { org: "acme", name: "web", ref: "main", ...mode }],
  [
    "one field",
    { owner: "acme", repo: "web$&", branch: "feature/one", ...mode },
    url,
    { clone_url: "https://code.example/acme/web$&/feature/one", ...mode },
  ],
  ["one field without a part", { owner: "acme", branch: "main", ...mode }, url, mode],
  ["one field with a number", { owner: "acme", repo: 7, branch: "main", ...mode }, url, { clone_url: 7, ...mode }],
  ["no part at all", mode, url, mode],
])("a registration with %s has the body that the target takes", (_, json, bindings, body) => {
  expect(createRegistrationJson(json, bindings)).toEqual(body);
});

test.each<[unknown, Record<string, unknown>, string | undefined]>([
  [{ org: "acme", name: "web", ref: "main" }, named, "acme/web/main"],
  [{ owner: "acme", repo: "web", branch: "main" }, {}, "acme/web/main"],
  [{ clone_url: "https://code.example/acme/web/feature/one" }, url, "acme/web/feature/one"],
  [{ clone_url: "https://elsewhere.example/acme/web/main" }, url, undefined],
  [{ clone_url: 7 }, url, undefined],
  [undefined, url, undefined],
])("the body %j registers the repository that it names", (sent, bindings, repository) => {
  expect(readRegisteredRepository(sent, bindings)).toBe(repository);
});
