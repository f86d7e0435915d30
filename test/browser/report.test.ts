import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { htmlReport } from "../../src/engine/report/html.js";
import { OUTLINE, sample } from "../engine/report/sample.js";
import { describeWith } from "../needs.js";
import { browserPath, openBrowser } from "./chromium.js";

describeWith({ name: "chromium", found: browserPath !== undefined }, "a report opened from disk", () => {
  const here = mkdtempSync(join(tmpdir(), "report-"));
  const file = join(here, "report.html");
  const asked: string[] = [];
  const complaints: string[] = [];
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    writeFileSync(file, htmlReport(sample(), OUTLINE));
    browser = await openBrowser();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on("request", (request) => asked.push(request.url()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => complaints.push(message.text()));
    page.on("dialog", (dialog) => complaints.push(dialog.message()));
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    rmSync(here, { recursive: true });
  });
  beforeEach(async () => {
    await page.goto(pathToFileURL(file).href);
  });

  const shown = () => page.locator(".clauses [data-verdict]:visible .id").allTextContents();

  test("asks nobody for anything and complains of nothing", () => {
    expect([asked.filter((url) => !/^(file|data):/.test(url)), complaints]).toEqual([[], []]);
  });

  test("narrows by words, by verdict and by surface", async () => {
    expect(await shown()).toEqual(["ALPHA", "BETA", "GAMMA"]);
    await page.fill("#search", "letter ALPHA");
    expect([await shown(), await page.textContent(".found")]).toEqual([["ALPHA"], "1 clause"]);
    await page.fill("#search", "");
    await page.click("button[data-choice=failed]");
    expect(await shown()).toEqual(["BETA"]);
    await page.click("button[data-choice=inconclusive]");
    expect(await shown()).toEqual(["BETA", "GAMMA"]);
    await page.selectOption("#surface", "docs");
    expect(await shown()).toEqual(["GAMMA"]);
  });

  test("leads from a clause to the check that judged it, folded or not", async () => {
    const check = page.locator("[id='one/step']");
    expect(await check.isVisible()).toBe(false);
    await page.click("#ALPHA summary");
    await page.click("#ALPHA a");
    expect(await check.isVisible()).toBe(true);
  });

  test("is dark where people like it dark", async () => {
    const paper = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    expect(await paper()).toBe("rgb(255, 255, 255)");
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await paper()).toBe("rgb(18, 22, 29)");
    await page.emulateMedia({ colorScheme: "light" });
  });

  test("prints everything, on white, without its controls", async () => {
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await page.locator("[id='one/step']").isVisible()).toBe(true);
    expect(await page.locator(".bar").isVisible()).toBe(false);
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(255, 255, 255)");
    await page.emulateMedia({ media: "screen", colorScheme: "light" });
  });
});
