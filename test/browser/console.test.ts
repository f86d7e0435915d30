import { expect, it } from "vitest";
import { startMock } from "../../src/index.js";
import { describeWith } from "../meta/needs.js";
import { send, sendBytes } from "../mock/client.js";
import { browserPath } from "./chromium.js";
import { openConsole } from "./console-page.js";

describeWith({ name: "chromium", found: browserPath !== undefined }, "the console in a browser", () => {
  const { mock, browser, page, open, jobs, rows, room, shoot, strangers: unknownCredentials, complaints } = openConsole();
  const status = () => page().getByRole("status");

  it("shows a request when it arrives, the reason for its 429, and after the clock moved the next one that passes", async () => {
    mock().setBucket({ key: "key_viewer", bucket: "plan", used: "all" });
    await jobs("?limit=2");
    await rows().filter({ hasText: "429" }).filter({ hasText: "rate_limit_qps" }).click();
    const why = page().getByRole("complementary");
    await why.getByText("the bucket plan was full, with 3000 of 3000 requests in this minute").waitFor();
    await why.getByText("wait 60 s, until 09:01:00").waitFor();
    await shoot("429");
    await why.getByRole("button", { name: "Move the clock there" }).click();
    await status().getByText("It is 2026-01-05 09:01:00.").waitFor();
    expect(mock().clock().now).toBe("2026-01-05T09:01:00.000Z");
    await jobs("?limit=2");
    await rows().filter({ hasText: "200" }).waitFor();
    expect(await rows().allInnerTexts()).toEqual([
      expect.stringMatching(/^09:01:00\s+200/),
      expect.stringMatching(/^09:00:00\s+429/),
    ]);
  });

  it("shows control and invisible characters as escapes in every view", async () => {
    const hidden = "a\u202eb\u200bc\u2028d";
    const json = { owner: "acme", repo: "hidden", branch: hidden };
    await send(`POST ${mock().api_url}/api/repos`, { key: mock().keys.full!, json });
    await jobs(`?${encodeURIComponent(hidden)}=1`);
    const texts: string[] = [];
    for (const name of ["traffic", "state", "worlds"]) {
      await room(name);
      await page().waitForTimeout(500);
      texts.push(await page().locator("body").innerText());
    }
    expect(texts.join("")).not.toMatch(/[\u202e\u200b\u2028]/);
    expect(texts.join("")).toContain("a\\u202eb\\u200bc\\u2028d");
  });

  it("shows text from a client as plain text", async () => {
    const evil = "<script>window.hurt=1</script><img/src=x/onerror=hurt=1>";
    const body = JSON.stringify({ "</pre><script>hurt=1</script>": evil });
    const head = `host: ${new URL(mock().api_url).host}\r\nauthorization: Bearer ${mock().keys.full}\r\nx-evil: ${evil}\r\nconnection: close`;
    const form = `content-type: application/json\r\ncontent-length: ${body.length}`;
    await sendBytes(mock().api_url, `POST /api/${evil}?q=${evil} HTTP/1.1\r\n${head}\r\n${form}\r\n\r\n${body}`);
    await rows().filter({ hasText: evil }).click();
    const entry = page().getByRole("complementary");
    expect(await entry.locator("dd").allInnerTexts()).toContain(evil);
    expect(await entry.locator("pre").first().innerText()).toContain("</pre><script>");
    expect(await page().locator("body script, body img").count()).toBe(0);
    expect(await page().evaluate("window.hurt")).toBeUndefined();
  });

  it("copies a call as a line that sends it again, with the key that called", async () => {
    await jobs("?limit=1");
    await rows().click();
    await page().getByRole("button", { name: "Copy as curl" }).click();
    const line = await page().evaluate(() => navigator.clipboard.readText());
    expect(line).toContain(`'${mock().api_url}/api/jobs?limit=1'`);
    expect(line).toContain("Bearer mock_viewer");
  });

  it("can be used with the keyboard alone", async () => {
    for (const limit of [1, 2, 3]) await jobs(`?limit=${limit}`);
    await rows().nth(2).waitFor();
    const chosen = () => page().locator('.row[aria-selected="true"] .path').innerText();
    await page().keyboard.press("j");
    expect(await chosen()).toBe("/api/jobs?limit=3");
    await page().keyboard.press("j");
    await page().keyboard.press("j");
    await page().keyboard.press("k");
    expect(await chosen()).toBe("/api/jobs?limit=2");
    await page().keyboard.press("Escape");
    await page().keyboard.press("/");
    await expect.poll(() => page().evaluate(() => document.activeElement?.id)).toBe("filter");
    await page().keyboard.type("limit=1");
    await expect.poll(() => rows().count()).toBe(1);
    await page().keyboard.press("Escape");
    await page().keyboard.press("a");
    await status().getByText("It is 2026-01-05 09:00:30. job").waitFor();
    await page().keyboard.press("4");
    expect(await page().getByRole("tab", { selected: true }).innerText()).toBe("Faults");
    await page().keyboard.press("Shift+?");
    await page().getByRole("dialog", { name: "Keys" }).waitFor();
    await page().keyboard.press("Escape");
  });

  it("adds a fault for the route of a call, and removes it", async () => {
    await jobs();
    await rows().click();
    await page().getByRole("button", { name: "Arm a fault here" }).click();
    await page().getByRole("button", { name: "Arm", exact: true }).click();
    await page().getByRole("button", { name: "Remove fault_1" }).waitFor();
    expect((await jobs()).status).toBe(503);
    await page().getByText("1 of 1").waitFor();
    await page().getByRole("button", { name: "Remove fault_1" }).click();
    await page().getByText("No fault is armed").waitFor();
    expect(mock().faults()).toEqual([]);
  });

  it("arms a fault by its fields, refuses a wrong field before it sends, and shows the same as code", async () => {
    await room("faults");
    const form = page().locator(".composer");
    const body = form.getByLabel("Body, JSON");
    await form.getByLabel("on", { exact: true }).fill("GET /api/repos");
    await form.getByLabel("code", { exact: true }).selectOption("");
    await form.getByLabel("retry_after", { exact: true }).fill("");
    await form.getByLabel("status", { exact: true }).fill("700");
    await expect.poll(async () => JSON.parse(await body.inputValue())).toEqual({ on: "GET /api/repos", first: 2, status: 700 });
    await form.getByRole("button", { name: "Arm", exact: true }).click();
    expect(
      await form.getByLabel("status", { exact: true }).evaluate((field: HTMLInputElement) => field.validity.rangeOverflow),
    ).toBe(true);
    expect(mock().faults()).toEqual([]);
    await form.getByLabel("status", { exact: true }).fill("503");
    await form.getByLabel("performs", { exact: true }).selectOption("true");
    await form.getByRole("button", { name: "Arm", exact: true }).click();
    await expect.poll(() => mock().faults()).toMatchObject([{ on: "GET /api/repos", first: 2, status: 503, performs: true }]);
    await form.getByText("The same from curl, TypeScript and Python").click();
    const [curl, typescript, python] = await form.locator(".code pre").allInnerTexts();
    expect(curl).toContain(`'${mock().control_url}/worlds/default/faults'`);
    expect(typescript).toMatch(/^world\.fault\(\{[\s\S]*\}\);$/);
    expect(python).toContain('json={"on": "GET /api/repos", "first": 2, "status": 503, "performs": True})');
    await shoot("fault-form");
    mock().removeFaults();
  });

  it("shows jobs by status, makes one fail, and triggers any event", async () => {
    await room("state");
    const failed = page().getByRole("button", { name: /^failed/ });
    await failed.getByText("4").waitFor();
    await page().getByRole("button", { name: "fails" }).first().click();
    await failed.getByText("5").waitFor();
    await room("drives");
    await page()
      .getByRole("button", { name: /^suspend/ })
      .click();
    await page().getByRole("button", { name: "Send event" }).click();
    await status().getByText("suspend: workspace acme suspended").waitFor();
    await room("keys");
    await page().getByRole("region", { name: "viewer" }).getByText("suspended").waitFor();
  });

  it("fills and empties the bucket of a key", async () => {
    await room("keys");
    await page().getByRole("button", { name: "Fill plan of viewer" }).click();
    await page().getByLabel("plan: 3000 / 3000").waitFor();
    expect((await jobs()).status).toBe(429);
    await page().getByRole("button", { name: "Empty plan of viewer" }).click();
    await page().getByText("plan of viewer: empty").waitFor();
    expect((await jobs()).status).toBe(200);
  });

  it("creates a world and shows it, reports a mistake in one, and returns to the default world when it is deleted", async () => {
    await room("worlds");
    const body = page().getByLabel("Body, JSON");
    await body.fill('{"sead":1}');
    await page().getByRole("button", { name: "Create", exact: true }).click();
    await page().locator(".composer .wrong").getByText("There is no option 'sead'").waitFor();
    await body.fill('{"seed":7,"clock":"frozen"}');
    await page().getByRole("button", { name: "Create", exact: true }).click();
    await status().getByText("The world w1 is selected").waitFor();
    await room("traffic");
    await send(`GET ${mock().api_url}/api/jobs`, { key: "mock_w1_viewer" });
    await jobs("?limit=9");
    await rows().first().waitFor();
    expect(await rows().count()).toBe(1);
    await room("worlds");
    await page().getByRole("button", { name: "Delete" }).click();
    await page().getByRole("button", { name: "Confirm: delete" }).click();
    await expect.poll(() => mock().worlds()).toEqual(["default"]);
    await expect.poll(() => page().getByRole("combobox", { name: "World" }).inputValue()).toBe("default");
  });

  it("removes a call that the journal no longer has, also when another client cleared it", async () => {
    for (const limit of [1, 2]) await jobs(`?limit=${limit}`);
    await rows().nth(1).waitFor();
    mock().clearJournal();
    await jobs("?limit=3");
    await expect.poll(() => page().locator(".row .path").allInnerTexts()).toEqual(["/api/jobs?limit=3"]);
    mock().reset();
    await page().getByText("No call has come yet").waitFor();
    await jobs("?limit=4");
    await rows().filter({ hasText: "limit=4" }).waitFor();
    await page().getByRole("button", { name: "Clear journal" }).click();
    await page().getByRole("button", { name: "Confirm: clear journal" }).click();
    await page().getByText("No call has come yet").waitFor();
    expect(mock().journal()).toEqual([]);
  });

  it("shows the client report if the mock has one, and opens the call of a finding", async () => {
    const finding = {
      ...{ id: "REPEATED", severity: "forbidden", clauses: ["ERR-TYPE-RATE"], message: "It called again too early.", count: 1 },
      examples: [{ entry: 1, request: "GET /api/jobs", why: "after 1 s of 60 s" }],
    };
    const some = { covered: ["one"], uncovered: ["other"] };
    const coverage = { surfaces: ["rest"], error_codes: some, transitions: some, second_pages: some };
    await page().route("**/client-report", (route) =>
      route.fulfill({ json: { verdict: "findings", requests: 9, findings: [finding], coverage } }),
    );
    await page().route(/__mock\/$/, async (route) => {
      const answer = await route.fetch();
      if (answer.headers()["content-type"]?.includes("html")) return route.fulfill({ response: answer });
      const body = await answer.json();
      return route.fulfill({ json: { ...body, routes: [...body.routes, { route: "GET /worlds/{id}/client-report" }] } });
    });
    await open();
    await jobs();
    await page().getByRole("tab", { name: "Client report" }).click();
    await page().getByText("It called again too early.").waitFor();
    await shoot("report");
    await page().getByRole("button", { name: "Call 1" }).click();
    await page().getByRole("complementary", { name: "Call 1" }).waitFor();
    await page().unrouteAll();
  });

  it("requests the admin token if there is one, and keeps it in this tab only", async () => {
    const guarded = await startMock({ clock: "frozen", adminToken: "s3cret-token" });
    const own = await browser().newContext();
    const tab = await own.newPage();
    await tab.goto(guarded.control_url);
    for (const token of ["wrong", "s3cret-token"]) {
      await tab.getByLabel("Admin token").fill(token);
      await tab.getByRole("button", { name: "Open" }).click();
    }
    await tab.locator(".connection.live").waitFor();
    expect(await tab.evaluate(() => [localStorage.length, document.cookie, location.href.includes("s3cret")])).toEqual([
      0,
      "",
      false,
    ]);
    const other = await own.newPage();
    await other.goto(guarded.control_url);
    await other.getByLabel("Admin token").waitFor();
    await own.close();
    await guarded.close();
  });

  it("sends requests only to this mock, without an error", () => {
    expect([...unknownCredentials(), ...complaints()]).toEqual([]);
  });
});
