import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endpoints } from "../../../../src/mock/control/endpoints.js";
import { type Mock, startMock } from "../../../../src/mock/server.js";
import { send } from "../../client.js";

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(() => mock.close());

describe("the control plane", () => {
  const endpointsWithBody = endpoints.filter(({ body, options }) => body ?? options).map(({ on }) => on);
  it.each(endpointsWithBody)("refuses a name that a body of %s has twice, and names the field", async (on) => {
    const line = on.replace("{id}", "default").replace("{event}", "find");
    const [method, path] = line.split(" ");
    const body = String.raw`{ "a": [{}, { "seed": 1, "se\u0065d": 2 }] }`;
    const { status, json } = await send(`${method} ${mock.control_url}${path}`, { body });
    expect([status, json.field, json.detail]).toEqual([
      400,
      "a.1.seed",
      'The body has the name "seed" twice in one object. Give each name once.',
    ]);
  });

  it("refuses a parameter that a query has twice", async () => {
    const { status, json } = await send(`GET ${mock.control_url}/worlds/default/journal?limit=1&limit=2`);
    expect([status, json.field]).toEqual([400, "limit"]);
  });
});
