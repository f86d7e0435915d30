import { fileURLToPath } from "node:url";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { routes } from "../../src/contract/routes.js";
import { type Mock, startMock } from "../../src/index.js";
import { drives } from "../../src/service/drives/index.js";
import { describeWith } from "../meta/needs.js";
import { browserPath, openBrowser } from "./chromium.js";
import { listViolations, tooWide } from "./looks.js";

const screenshots = fileURLToPath(new URL("../../dist/screenshots/", import.meta.url));
const jobs = "/api/repos/{owner}/{repo}/{branch}/jobs";

describeWith({ name: "chromium", found: browserPath !== undefined }, "the docs host in a browser", () => {
  let mock: Mock;
  let browser: Browser;
  let page: Page;
  const asked: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    mock = await startMock({ clock: "frozen" });
    browser = await openBrowser();
    page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    page.setDefaultTimeout(10_000);
    page.on("request", (request) => asked.push(request.url()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("requestfailed", (request) => complaints.push(request.url()));
    // once for all tests: drawing the page takes longer than the tests
    await page.goto(mock.docs_url);
    await operation("Get this document").waitFor();
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await mock.close();
  });
  beforeEach(() => mock.reset());

  const operation = (summary: string): Locator =>
    page.locator(".expanded-endpoint-body").filter({ has: page.getByRole("heading", { name: summary, exact: true }) });

  it("shows every operation, by method and path", async () => {
    const methods = await page.locator(".expanded-endpoint-body [part=label-operation-method]").allInnerTexts();
    const paths = await page.locator(".expanded-endpoint-body [part=label-operation-path]").allInnerTexts();
    const shown = methods.map((method, i) => bare(`${method.toUpperCase()} ${paths[i]}`));
    expect(shown.sort()).toEqual(Object.keys(routes).map(bare).sort());
    await page.screenshot({ path: `${screenshots}start.png` });
  });

  it("shows which server this is and its keys, and fills in the first key", async () => {
    expect(await page.title()).toBe("Service · Counterpart");
    expect(await page.locator("header").innerText()).toContain(mock.api_url);
    expect(await page.locator("tbody code").allInnerTexts()).toEqual(Object.values(mock.keys));
    expect(await page.locator("tr.chosen code").innerText()).toBe(mock.keys.full);
  });

  it("sends the example of an operation unchanged, and shows a successful answer", async () => {
    const submit = operation("Submit a job");
    await submit.getByRole("button", { name: "TRY", exact: true }).click();
    await submit.getByText("Response Status: Created:201").waitFor();
    await page.screenshot({ path: `${screenshots}submitted.png` });
    const calls = mock.journal({ route: `POST ${jobs}` });
    expect(calls).toMatchObject([{ status: 201, body: { workflow: "audit", params: {} } }]);
  });

  it("sends the key that the user selected, at the top or in the table", async () => {
    const submit = operation("Submit a job");
    await page.getByLabel("Call with key").selectOption(mock.keys.viewer!);
    await submit.getByRole("button", { name: "TRY", exact: true }).click();
    await submit.getByText("Response Status: Forbidden:403").waitFor();
    await page.locator("tbody tr").filter({ hasText: mock.keys.broke! }).click();
    expect(await page.getByLabel("Call with key").inputValue()).toBe(mock.keys.broke);
    await submit.getByRole("button", { name: "TRY", exact: true }).click();
    await submit.getByText(/Response Status: .*:404/).waitFor();
  });

  it("shows every route and event of the control plane, and sends their examples unchanged", async () => {
    await page.getByRole("link", { name: "Control plane" }).click();
    await operation("An open observation expires.").waitFor();
    const events = await page.locator(".expanded-endpoint-body [part=label-operation-path]").allInnerTexts();
    expect(events.filter((path) => path.includes("/drive/"))).toHaveLength(Object.keys(drives).length);
    const expire = operation("An open observation expires.");
    await expire.getByRole("button", { name: "TRY", exact: true }).click();
    await expire.getByText("Response Status: OK:200").waitFor();
    await page.screenshot({ path: `${screenshots}control.png` });
  });

  it("searches the guides and the clauses, and shows them on a narrow, dark screen", async () => {
    const narrow = await browser.newPage({ viewport: { width: 390, height: 844 }, colorScheme: "dark" });
    narrow.on("pageerror", (error) => complaints.push(error.message));
    await narrow.goto(`${mock.docs_url}/guides`);
    await narrow.getByLabel("Search the guides").fill("rewind snapshot");
    await narrow.getByRole("link", { name: "Snapshots, rewind, recording and replay" }).click();
    await narrow.getByRole("heading", { level: 1 }).waitFor();
    expect([...(await tooWide(narrow)), ...(await listViolations(narrow))]).toEqual([]);
    await narrow.screenshot({ path: `${screenshots}guide.png` });
    await narrow.goto(`${mock.docs_url}/clauses#JOB-RETRY-NEW`);
    const clause = narrow.locator("article:target");
    expect(await clause.innerText()).toContain("JOB-RETRY-NEW");
    expect([...(await tooWide(narrow)), ...(await listViolations(narrow))]).toEqual([]);
    await narrow.getByLabel("Search the clauses").fill("nothing is called so");
    expect(await narrow.locator("article:visible").count()).toBe(0);
    expect(await narrow.getByRole("status").innerText()).toMatch(/^0 of \d+$/);
    await narrow.close();
  });

  it("sends requests only to this mock, and shows no error", () => {
    expect(asked.length).toBeGreaterThan(4);
    const own = [mock.api_url, mock.docs_url, "null"]; // "null" is the page's own data
    expect(asked.filter((url) => !own.includes(new URL(url).origin))).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

function bare(route: string): string {
  return route.replaceAll(/\{\w+\}/g, "{}");
}
