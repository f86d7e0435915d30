import { afterAll, beforeAll, describe, it } from "vitest";
import { routes } from "../../../../src/contract/routes.js";
import type { RouteName } from "../../../../src/contract/types.js";
import { everyRoute, parametersIn, validRequest } from "./bases.js";
import { expectOutcomes, openService, type RequestParts, type Service } from "./service.js";

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

/** Authorization headers that open nothing. */
const unknownCredentials: [header: string, code: string][] = [
  ["", "malformed_key"],
  ["Bearer", "malformed_key"],
  ["Bearer ", "malformed_key"],
  ["mock_full", "malformed_key"],
  ["Basic bW9ja19mdWxsOg==", "malformed_key"],
  ["Bearermock_full", "malformed_key"],
  ["Bearer mock_full mock_full", "malformed_key"],
  ["Bearer mock_full, Bearer mock_full", "malformed_key"],
  ["Bearer mock_nobody", "invalid_key"],
  ["Bearer mock_full%00", "invalid_key"],
  ["Bearer MOCK_FULL", "invalid_key"],
  ["Bearer key_full", "invalid_key"],
  ["Bearer mock_w99_full", "invalid_key"],
  ["Bearer mock_default_full", "invalid_key"],
  ["Bearer mock___proto___full", "invalid_key"],
  ["Bearer __proto__", "invalid_key"],
  ["Bearer constructor", "invalid_key"],
  ["Bearer toString", "invalid_key"],
  ["Bearer \u00e9\u00ff", "invalid_key"],
  [`Bearer ${"k".repeat(8000)}`, "invalid_key"],
  ["Bearer mock_revoked", "revoked_key"],
  ["Bearer mock_expired", "expired_key"],
  ["Bearer mock_fenced", "network_not_allowed"],
  ["Bearer mock_suspended", "workspace_suspended"],
];

/** Cookies that sign nobody in. */
const badCookies = [
  "",
  "session",
  "session=",
  "session=nobody",
  "session=__proto__",
  "session=constructor",
  "xsession=admin",
  ";;=",
];

const managedByPeople = (route: RouteName) => routes[route].operation["x-session"] !== undefined;

/** Returns a valid request with other credentials. */
function as(route: RouteName, credentials: RequestParts["headers"], host: RequestParts["host"] = "api"): RequestParts {
  const { authorization: _, cookie: __, ...headers } = validRequest(route).headers;
  return { ...validRequest(route), host, headers: { ...headers, ...credentials } };
}

describe.each(everyRoute)("%s", (route) => {
  it("refuses a request without a credential, on both hosts, and ignores a cookie on the API host", () =>
    expectOutcomes(service, [
      { says: "no header", asked: as(route, {}), answers: ["missing_key"] },
      { says: "no header, app host", asked: as(route, {}, "app"), answers: ["missing_key"] },
      { says: "a cookie", asked: as(route, { cookie: "session=owner" }), answers: ["missing_key"] },
    ]));

  it("refuses every malformed header and every header without a live key", () =>
    expectOutcomes(
      service,
      unknownCredentials.map(([authorization, code]) => ({
        says: authorization,
        asked: as(route, { authorization }),
        answers: [code],
      })),
    ));

  it("refuses every cookie without a session", () =>
    expectOutcomes(
      service,
      badCookies.map((cookie) => ({ says: cookie, asked: as(route, { cookie }, "app"), answers: ["missing_key"] })),
    ));

  it("judges only the header if a session comes with it", () =>
    expectOutcomes(service, [
      {
        says: "another person's header with the owner's cookie",
        asked: as(route, { authorization: "Bearer nobody", cookie: "session=owner" }, "app"),
        answers: ["invalid_key"],
      },
    ]));

  it("shows no row of another workspace", () => {
    const isNamed = Object.keys(parametersIn(route, "path")).length > 0;
    const responses = managedByPeople(route) ? ["permission_denied"] : isNamed ? ["not_found"] : null;
    return expectOutcomes(service, [
      { says: "a free key", asked: as(route, { authorization: "Bearer mock_free" }), answers: responses },
    ]);
  });

  it("refuses a caller without the right", () => {
    const { operation } = routes[route];
    const scopes = operation["x-scopes"] ?? [];
    const lacks = ["view_repositories", "view_jobs"].every((scope) => !scopes.includes(scope as never)) && scopes.length > 0;
    const responses = lacks ? ["insufficient_scope"] : operation["x-permission"] ? ["permission_denied"] : null;
    return expectOutcomes(service, [
      { says: "a viewer", asked: as(route, { authorization: "Bearer mock_viewer" }), answers: responses },
      {
        says: "a member who is not an admin",
        asked: as(route, { cookie: "session=member" }, "app"),
        answers: managedByPeople(route) || operation["x-permission"] ? ["permission_denied"] : null,
      },
    ]);
  });
});

describe("a credential of another world", () => {
  it.each(everyRoute)("has effect in that world only at %s, and none after the world was deleted", async (route) => {
    const validOutcome = await service.outcomeOf(validRequest(route));
    const { keys, sessions, remove } = await service.mock.world();
    const { cookie } = validRequest(route).headers;
    const foreign = cookie
      ? as(route, { cookie: sessions.admin! }, "app")
      : as(route, { authorization: `Bearer ${route === "GET /api/openapi.json" ? keys.staff : keys.full}` });
    await expectOutcomes(service, [{ says: "there", asked: { ...foreign, elsewhere: true }, answers: [validOutcome] }]);
    remove();
    await expectOutcomes(service, [{ says: "gone", asked: foreign, answers: [cookie ? "missing_key" : "invalid_key"] }]);
  });
});
