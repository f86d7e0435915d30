import { expect, it } from "vitest";
import { describeWith } from "../meta/needs.js";
import { send } from "../mock/client.js";
import { browserPath } from "./chromium.js";
import { openConsole } from "./console-page.js";

describeWith({ name: "chromium", found: browserPath !== undefined }, "the state of a world in the console", () => {
  const { mock, page, jobs, rows, room, shoot, strangers, complaints } = openConsole();

  it("finds an observation, opens it, and leads to the calls that changed it", async () => {
    await send(`POST ${mock().api_url}/api/observations/SERVICE-1/acknowledge`, { key: mock().keys.full! });
    await room("state");
    await page().getByRole("button", { name: "Observations", exact: true }).click();
    await page().getByLabel("Search observations").fill("cookie is readable");
    await page().getByText("1 of 1", { exact: true }).waitFor();
    await page().getByRole("button", { name: "SERVICE-1", exact: true }).click();
    const detail = page().getByRole("complementary", { name: "SERVICE-1" });
    await detail.getByText("Session cookie is readable by scripts").waitFor();
    await shoot("observation");
    await detail.getByRole("button", { name: /^Call \d+$/ }).click();
    await page().getByRole("complementary", { name: /^Call/ }).getByText("SERVICE-1/acknowledge").first().waitFor();
  });

  it("sorts all rows by a column, in both directions, and shows further columns", async () => {
    await room("state");
    await page().getByRole("button", { name: "Observations", exact: true }).click();
    const first = () => page().locator("tbody tr").first().innerText();
    await page().getByRole("button", { name: "Observation", exact: true }).click();
    await expect.poll(first).toContain("SERVICE-1\t");
    await page().getByRole("button", { name: "Observation ↑" }).click();
    await expect.poll(first).not.toContain("SERVICE-1\t");
    expect(
      await page()
        .getByRole("columnheader", { name: /Observation/ })
        .getAttribute("aria-sort"),
    ).toBe("descending");
    await page().getByText("Columns", { exact: true }).click();
    await page().getByLabel("Updated").check();
    await page().getByRole("columnheader", { name: "Updated" }).waitFor();
  });

  it("draws the state machines with the rows of each state and the transitions that the client has seen", async () => {
    const json = { workflow: "audit", params: {} };
    const { json: job } = await send(`POST ${mock().api_url}/api/repos/acme/web/main/jobs`, { key: mock().keys.full!, json });
    await send(`POST ${mock().api_url}/api/jobs/${job.id}/cancel`, { key: mock().keys.full! });
    await room("state");
    await page().getByRole("button", { name: "State machines" }).click();
    const states = page().getByRole("region", { name: "States of a job" });
    await states.getByText(/has seen [1-9]\d* of \d+ transitions/).waitFor();
    const seen = await states.getByRole("listitem").filter({ hasText: /^seen/ }).allInnerTexts();
    expect(seen).toContain("seen pending → cancelled cancel");
    expect(await states.locator(".arrow.seen").count()).toBe(seen.filter((text) => !text.includes("(none)")).length);
    await shoot("machines");
  });

  it("opens a call of the timeline, and filters by a part of it", async () => {
    for (const limit of [1, 2, 3, 4]) await jobs(`?limit=${limit}`);
    mock().advance("1m");
    await jobs("?limit=0");
    await rows().nth(4).waitFor();
    const timeline = page().getByRole("img", { name: "Timeline of 5 calls" });
    await expect
      .poll(() => timeline.locator(".call title").allTextContents())
      .toEqual([
        ...[1, 2, 3, 4].map((n) => `Call ${n}: GET /api/jobs?limit=${n}, 200, at 2026-01-05 09:00:00`),
        expect.stringMatching(/^Call 5: GET \/api\/jobs\?limit=0, 4\d\d, at 2026-01-05 09:01:00$/),
      ]);
    await timeline.locator(".call.warm rect").click();
    await page().getByRole("complementary", { name: "Call 5" }).waitFor();
    await page().keyboard.press("Escape");
    const from = (await timeline.locator(".call rect").nth(1).boundingBox())!;
    const to = (await timeline.locator(".call rect").nth(2).boundingBox())!;
    await page().mouse.move(from.x + 3, from.y + 5);
    await page().mouse.down();
    await page().mouse.move(to.x + 3, to.y + 5, { steps: 3 });
    await page().mouse.up();
    await expect.poll(() => rows().count()).toBe(2);
    await page().getByRole("button", { name: "calls 2 to 3" }).click();
    await expect.poll(() => rows().count()).toBe(5);
  });

  it("asks nobody but this mock, and nothing goes wrong in it", () => {
    expect([...strangers(), ...complaints()]).toEqual([]);
  });
});
