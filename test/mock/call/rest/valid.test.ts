import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyRoute, validRequest } from "./bases.js";
import { openService, type Service } from "./service.js";

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

describe("the request to which the faults are applied", () => {
  it.each(everyRoute)("is accepted at %s, so each refusal comes from the fault", async (route) => {
    for (const seed of [1, 2, 3]) expect(await service.outcomeOf(validRequest(route, seed)), `seed ${seed}`).toMatch(/^20\d$/);
  });
});
