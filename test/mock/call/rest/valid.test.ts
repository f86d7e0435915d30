import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyRoute, validRequest } from "./bases.js";
import { openService, type Service } from "./service.js";

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

describe("the request that the faults are put into", () => {
  it.each(everyRoute)("is accepted at %s, so that each refusal is the fault's own", async (route) => {
    for (const seed of [1, 2, 3]) expect(await service.outcomeOf(validRequest(route, seed)), `seed ${seed}`).toMatch(/^20\d$/);
  });
});
