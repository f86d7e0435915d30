import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type Mock, startMock } from "../../src/index.js";
import { send, sendBytes } from "../mock/client.js";
import { describeWith } from "../needs.js";
import { browserPath, openBrowser } from "./chromium.js";
import { faintTexts, namelessParts, tooWide } from "./looks.js";

const screenshots = fileURLToPath(new URL("../../dist/screenshots/", import.meta.url));
const rooms = ["traffic", "state", "keys", "faults", "drives", "errors", "worlds"];
const wide = { width: 1400, height: 900 };
const phone = { width: 390, height: 844 };

describeWith({ name: "chromium", found: browserPath !== undefined }, "the console in a browser", () => {
  let mock: Mock;
  let browser: Browser;
  let page: Page;
  const asked: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    mock = await startMock({ clock: "frozen", journal: 10_000 });
    browser = await openBrowser();
    const context = await browser.newContext({ viewport: wide, permissions: ["clipboard-read", "clipboard-write"] });
    page = await context.newPage();
    page.setDefaultTimeout(5000);
    page.on("request", (request) => asked.push(request.url()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => complaints.push(message.text()));
    page.on("dialog", (dialog) => complaints.push(dialog.message()));
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await mock.close();
  });
  beforeEach(async () => {
    mock.reset();
    mock.clearJournal();
    await open();
  });

  let opened = 0;
  /** Loads the page anew, which another hash alone would not. */
  const open = async (hash = "") => {
    await page.goto(`${mock.control_url}/?${opened++}${hash}`);
    await page.locator(".connection.live").waitFor();
  };
  const jobs = (more = "", key = mock.keys.viewer) => send(`GET ${mock.api_url}/api/jobs${more}`, { key });
  const rows = () => page.locator(".row");
  const shoot = (name: string) => page.screenshot({ path: `${screenshots}console-${name}.png` });
  const room = (name: string) => page.locator(`#tab-${name}`).click();
  const status = () => page.getByRole("status");

  it("shows a request as it comes, why it got 429, and after the clock was moved the next one that passes", async () => {
    mock.setBucket({ key: "key_viewer", bucket: "plan", used: "all" });
    await jobs("?limit=2");
    await rows().filter({ hasText: "429" }).filter({ hasText: "rate_limit_qps" }).click();
    const why = page.getByRole("complementary");
    await why.getByText("the bucket plan was full, with 3000 of 3000 requests in this minute").waitFor();
    await why.getByText("wait 60 s, until 09:01:00").waitFor();
    await shoot("429");
    await why.getByRole("button", { name: "Move the clock there" }).click();
    await status().getByText("It is 2026-01-05 09:01:00.").waitFor();
    expect(mock.clock().now).toBe("2026-01-05T09:01:00.000Z");
    await jobs("?limit=2");
    await rows().filter({ hasText: "200" }).waitFor();
    expect(await rows().allInnerTexts()).toEqual([
      expect.stringMatching(/^09:01:00\s+200/),
      expect.stringMatching(/^09:00:00\s+429/),
    ]);
  });

  it("shows what a client sent as text, whatever it is", async () => {
    const evil = "<script>window.hurt=1</script><img/src=x/onerror=hurt=1>";
    const body = JSON.stringify({ "</pre><script>hurt=1</script>": evil });
    const head = `host: ${new URL(mock.api_url).host}\r\nauthorization: Bearer ${mock.keys.full}\r\nx-evil: ${evil}\r\nconnection: close`;
    const form = `content-type: application/json\r\ncontent-length: ${body.length}`;
    await sendBytes(mock.api_url, `POST /api/${evil}?q=${evil} HTTP/1.1\r\n${head}\r\n${form}\r\n\r\n${body}`);
    await rows().filter({ hasText: evil }).click();
    const entry = page.getByRole("complementary");
    expect(await entry.locator("dd").allInnerTexts()).toContain(evil);
    expect(await entry.locator("pre").first().innerText()).toContain("</pre><script>");
    expect(await page.locator("body script, body img").count()).toBe(0);
    expect(await page.evaluate("window.hurt")).toBeUndefined();
  });

  it("copies a call as a line that sends it again, with the key that called", async () => {
    await jobs("?limit=1");
    await rows().click();
    await page.getByRole("button", { name: "Copy as curl" }).click();
    const line = await page.evaluate(() => navigator.clipboard.readText());
    expect(line).toContain(`'${mock.api_url}/api/jobs?limit=1'`);
    expect(line).toContain("Bearer mock_viewer");
  });

  it("is used by keys alone", async () => {
    for (const limit of [1, 2, 3]) await jobs(`?limit=${limit}`);
    await rows().nth(2).waitFor();
    const chosen = () => page.locator('.row[aria-selected="true"] .path').innerText();
    await page.keyboard.press("j");
    expect(await chosen()).toBe("/api/jobs?limit=3");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    expect(await chosen()).toBe("/api/jobs?limit=2");
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("filter");
    await page.keyboard.type("limit=1");
    await expect.poll(() => rows().count()).toBe(1);
    await page.keyboard.press("Escape");
    await page.keyboard.press("a");
    await status().getByText("It is 2026-01-05 09:00:30. job").waitFor();
    await page.keyboard.press("4");
    expect(await page.getByRole("tab", { selected: true }).innerText()).toBe("Faults");
    await page.keyboard.press("Shift+?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
  });

  it("arms a fault at the route of a call, and takes it away", async () => {
    await jobs();
    await rows().click();
    await page.getByRole("button", { name: "Arm a fault here" }).click();
    await page.getByRole("button", { name: "Arm", exact: true }).click();
    await page.getByRole("button", { name: "Remove fault_1" }).waitFor();
    expect((await jobs()).status).toBe(503);
    await page.getByText("1 of 1").waitFor();
    await page.getByRole("button", { name: "Remove fault_1" }).click();
    await page.getByText("the service answers by itself").waitFor();
    expect(mock.faults()).toEqual([]);
  });

  it("shows jobs by status and has one fail, and makes any event happen", async () => {
    await room("state");
    const failed = page.getByRole("button", { name: /^failed/ });
    await failed.getByText("4").waitFor();
    await page.getByRole("button", { name: "fails" }).first().click();
    await failed.getByText("5").waitFor();
    await room("drives");
    await page.getByRole("button", { name: /^suspend/ }).click();
    await page.getByRole("button", { name: "Make it happen" }).click();
    await status().getByText("suspend: workspace acme suspended").waitFor();
    await room("keys");
    await page.getByRole("region", { name: "viewer" }).getByText("suspended").waitFor();
  });

  it("fills and empties the bucket of a key", async () => {
    await room("keys");
    await page.getByRole("button", { name: "Fill plan of viewer" }).click();
    await page.getByLabel("plan: 3000 / 3000").waitFor();
    expect((await jobs()).status).toBe(429);
    await page.getByRole("button", { name: "Empty plan of viewer" }).click();
    await page.getByText("plan of viewer: empty").waitFor();
    expect((await jobs()).status).toBe(200);
  });

  it("founds a world and follows it, says what is wrong with one, and goes back when it is gone", async () => {
    await room("worlds");
    const body = page.getByLabel("Body, JSON");
    await body.fill('{"sead":1}');
    await page.getByRole("button", { name: "Found", exact: true }).click();
    await page.locator(".composer .wrong").getByText("'sead' is not known").waitFor();
    await body.fill('{"seed":7,"clock":"frozen"}');
    await page.getByRole("button", { name: "Found", exact: true }).click();
    await status().getByText("Now in the world w1").waitFor();
    await room("traffic");
    await jobs("", "mock_w1_viewer");
    await jobs("?limit=9");
    await rows().first().waitFor();
    expect(await rows().count()).toBe(1);
    await room("worlds");
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Really delete?" }).click();
    await expect.poll(() => mock.worlds()).toEqual(["default"]);
    await expect.poll(() => page.getByRole("combobox", { name: "World" }).inputValue()).toBe("default");
  });

  it("is quick with ten thousand calls", async () => {
    const world = await mock.world({ options: { limits: "off" } });
    const host = new URL(mock.api_url).host;
    const call = (n: number) =>
      `GET /api/jobs/job_${n} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${world.keys.viewer}\r\n${n === 10_000 ? "connection: close\r\n" : ""}\r\n`;
    await sendBytes(mock.api_url, Array.from({ length: 10_000 }, (_, i) => call(i + 1)).join(""));
    await open(`#${world.id}/traffic`);
    await page.getByText("10000 of 10000 calls").waitFor();
    expect(await rows().count()).toBeLessThan(80);
    const times = await page.evaluate(measureList);
    console.log(`The console with 10,000 calls, in ms: ${JSON.stringify(times)}`);
    // wide bounds: other tests run beside
    expect(times.usualFrame).toBeLessThan(100);
    expect(times.filter).toBeLessThan(1000);
    const begin = performance.now();
    await send(`GET ${mock.api_url}/api/repos`, { key: world.keys.viewer! });
    await page.getByLabel("Filter calls").fill("/api/repos");
    await rows().filter({ hasText: "/api/repos" }).waitFor();
    expect(performance.now() - begin).toBeLessThan(1500);
    world.remove();
  });

  it("is legible in every room, in light and dark colours, and nothing sticks out, wide or narrow", async () => {
    mock.setBucket({ key: "key_viewer", bucket: "plan", used: "all" });
    mock.fault({ on: "GET /api/repos", nth: 1, status: 503 });
    await send(`GET ${mock.api_url}/api/repos`, { key: mock.keys.full! });
    await jobs(`?search=${"long".repeat(60)}`);
    await rows().nth(1).waitFor();
    await page.setViewportSize(phone);
    expect(await tooWide(page)).toEqual([]);
    await shoot("list-390");
    await rows().first().click();
    await shoot("call-390");
    for (const name of rooms) {
      await page.setViewportSize(wide);
      await room(name);
      await page.locator(`#room[aria-labelledby=tab-${name}] :is(.entry, section)`).first().waitFor();
      expect(await namelessParts(page), name).toEqual([]);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await faintTexts(page), `${name}, ${colorScheme}`).toEqual([]);
        await shoot(`${name}-${colorScheme}`);
      }
      expect(await tooWide(page), name).toEqual([]);
      await page.setViewportSize(phone);
      expect(await tooWide(page), `${name} on a phone`).toEqual([]);
    }
    await shoot("worlds-390");
    await page.setViewportSize(wide);
    await page.emulateMedia({ colorScheme: "light" });
  });

  it("forgets what the journal has no more, whoever took it away", async () => {
    for (const limit of [1, 2]) await jobs(`?limit=${limit}`);
    await rows().nth(1).waitFor();
    mock.clearJournal();
    await jobs("?limit=3");
    await expect.poll(() => page.locator(".row .path").allInnerTexts()).toEqual(["/api/jobs?limit=3"]);
    mock.reset();
    await page.getByText("Nobody has called yet").waitFor();
    await jobs("?limit=4");
    await rows().filter({ hasText: "limit=4" }).waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByRole("button", { name: "Really clear?" }).click();
    await page.getByText("Nobody has called yet").waitFor();
    expect(mock.journal()).toEqual([]);
  });

  it("shows the report card where the mock has one, and leads from a remark to its call", async () => {
    const remark = {
      ...{ id: "REPEATED", severity: "forbidden", clauses: ["ERR-TYPE-RATE"], says: "It called again too early.", count: 1 },
      examples: [{ entry: 1, request: "GET /api/jobs", why: "after 1 s of 60 s" }],
    };
    const some = { met: ["one"], unmet: ["other"] };
    const met = { surfaces: ["rest"], error_codes: some, transitions: some, second_pages: some };
    await page.route("**/client-report", (route) =>
      route.fulfill({ json: { verdict: "remarks", requests: 9, remarks: [remark], met } }),
    );
    await page.route(/__mock\/$/, async (route) => {
      const answer = await route.fetch();
      if (answer.headers()["content-type"]?.includes("html")) return route.fulfill({ response: answer });
      const body = await answer.json();
      return route.fulfill({ json: { ...body, routes: [...body.routes, { route: "GET /worlds/{id}/client-report" }] } });
    });
    await open();
    await jobs();
    await page.getByRole("tab", { name: "Report card" }).click();
    await page.getByText("It called again too early.").waitFor();
    await shoot("report");
    await page.getByRole("button", { name: "Call 1" }).click();
    await page.getByRole("complementary", { name: "Call 1" }).waitFor();
    await page.unrouteAll();
  });

  it("asks for the admin token where there is one, and keeps it in this tab alone", async () => {
    const guarded = await startMock({ clock: "frozen", adminToken: "s3cret-token" });
    const own = await browser.newContext();
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

  it("asks nobody but this mock, and nothing goes wrong in it", () => {
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.filter((url) => !url.startsWith(`${mock.control_url}/`) && !/^(about|data):/.test(url))).toEqual([]);
    // a browser says of each refused request that it was; the page tells it too
    expect(complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
  });
});

/** Scrolls the whole list and filters it; runs in the page. */
async function measureList(): Promise<{ usualFrame: number; longestFrame: number; filter: number }> {
  const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
  const list = document.querySelector("#calls")!;
  const frames: number[] = [];
  let last = await frame();
  for (let i = 0; i <= 20; i++) {
    list.scrollTop = (list.scrollHeight * i) / 20;
    const now = await frame();
    frames.push(now - last);
    last = now;
  }
  const input = document.querySelector<HTMLInputElement>("#filter")!;
  const begin = performance.now();
  input.value = "job_9999";
  input.dispatchEvent(new Event("input", { bubbles: true }));
  while (document.querySelectorAll(".row").length !== 1) await frame();
  const filter = performance.now() - begin;
  frames.sort((a, b) => a - b);
  return {
    usualFrame: Math.round(frames[10]!),
    longestFrame: Math.round(frames.at(-1)!),
    filter: Math.round(filter),
  };
}
