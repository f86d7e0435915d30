import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { type Mock, startMock } from "../../src/index.js";
import { send } from "../mock/client.js";
import { openBrowser } from "./chromium.js";

const screenshots = fileURLToPath(new URL("../../dist/screenshots/", import.meta.url));

/** The window sizes in which the tests look at the console. */
export const sizes = { wide: { width: 1400, height: 900 }, phone: { width: 390, height: 844 } };

/** A mock for the tests of a file, and its console, loaded anew for each. */
export function openConsole() {
  let mock: Mock;
  let browser: Browser;
  let page: Page;
  let opened = 0;
  const asked: string[] = [];
  const complaints: string[] = [];
  /** Loads the page anew, which another hash alone would not. */
  const open = async (hash = "") => {
    await page.goto(`${mock.control_url}/?${opened++}${hash}`);
    await page.locator(".connection.live").waitFor();
  };
  beforeAll(async () => {
    mock = await startMock({ clock: "frozen", journal: 10_000 });
    browser = await openBrowser();
    const context = await browser.newContext({ viewport: sizes.wide, permissions: ["clipboard-read", "clipboard-write"] });
    page = await context.newPage();
    page.setDefaultTimeout(10_000);
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
    await open();
  });
  return {
    mock: () => mock,
    browser: () => browser,
    page: () => page,
    open,
    /** Lists jobs, as the viewer. */
    jobs: (more = "") => send(`GET ${mock.api_url}/api/jobs${more}`, { key: mock.keys.viewer! }),
    /** The rows of the list that are drawn. */
    rows: () => page.locator(".row"),
    room: (name: string) => page.locator(`#tab-${name}`).click(),
    shoot: (name: string) => page.screenshot({ path: `${screenshots}console-${name}.png` }),
    /** The hosts other than this mock to which the page sent requests. */
    strangers: () => asked.filter((url) => !url.startsWith(`${mock.control_url}/`) && !/^(about|data):/.test(url)),
    /** Returns the complaints of the browser. Omits its messages about refused requests, because the page shows them too. */
    complaints: () => complaints.filter((text) => !text.startsWith("Failed to load resource")),
  };
}
