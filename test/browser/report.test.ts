import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { renderHtmlReport } from "../../src/engine/report/html.js";
import { type PublishedRun, renderResultsPage } from "../../src/engine/report/results.js";
import { check, line, OUTLINE, sample } from "../engine/report/sample.js";
import { describeWith } from "../meta/needs.js";
import { browserPath, openBrowser } from "./chromium.js";
import { listViolations } from "./looks.js";

/** A hundred findings of ten causes, each with a response of sixty lines. */
function createHundredRows() {
  const names = Array.from({ length: 100 }, (_, n) => `s${n}`);
  const body = Array.from({ length: 60 }, (_, n) => `"field_${n}": "${"long ".repeat(9)}"`).join("\n");
  const request = {
    method: "POST",
    url: `https://staging.example/${"deep/".repeat(12)}`,
    headers: { accept: "application/json" },
  };
  const shownSteps = ["before", "step"].map((step, n) => ({
    step,
    after_ms: 9 * n,
    took_ms: 4,
    request,
    answer: { status: 500, headers: {}, body },
  }));
  return sample({
    scenarios: names.map((name) => line(name, "BETA", "failed")),
    checks: names.map((name, n) =>
      check(name, "BETA", "failed", {
        ...{ operation: `GET /${n % 10}`, expected: "status: 200", actual: "status: 500", exchanges: shownSteps },
        mismatches: [{ at: "status", status: 500 + (n % 10), expected: "200", actual: String(500 + (n % 10)) }],
      }),
    ),
  });
}

/** Two verified runs with a changed verdict, and a changed bundle. */
function threeRuns(): PublishedRun[] {
  const passing = { scenarios: [line("two", "BETA", "passed")], checks: [check("two", "BETA", "passed")] };
  const started_at = "2026-06-01T12:00:00.000Z";
  return [
    { place: "old", state: "verified", report: sample({ server_version: "1.0.0" }), messages: ["it is not signed"] },
    {
      place: "new",
      state: "verified",
      report: sample({ ...passing, server_version: "v".repeat(300), started_at }),
      messages: [],
    },
    { place: "/a/long/path/".repeat(20), state: "changed", messages: ["report.json was changed"] },
  ];
}

describeWith({ name: "chromium", found: browserPath !== undefined }, "a report opened from disk", () => {
  const here = mkdtempSync(join(tmpdir(), "report-"));
  const [file, many, none, results] = ["report", "many", "none", "results"].map((name) => join(here, `${name}.html`)) as [
    string,
    string,
    string,
    string,
  ];
  const asked: string[] = [];
  const complaints: string[] = [];
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    writeFileSync(file, renderHtmlReport(sample(), OUTLINE));
    writeFileSync(many, renderHtmlReport(createHundredRows(), OUTLINE));
    writeFileSync(
      none,
      renderHtmlReport(
        sample({ scenarios: [line("one", "ALPHA", "passed")], checks: [check("one", "ALPHA", "passed")] }),
        OUTLINE,
      ),
    );
    writeFileSync(results, renderResultsPage(threeRuns(), OUTLINE));
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

  test("sends no request and logs no error", () => {
    expect([asked.filter((url) => !/^(file|data):/.test(url)), complaints]).toEqual([[], []]);
  });

  test("shows the results of several runs without scripts and style attributes", async () => {
    await page.goto(pathToFileURL(results).href);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await listViolations(page)).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: "light" });
    expect(await page.getByText("changed after the run").isVisible()).toBe(true);
    await page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
    });
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    expect([await page.locator("script, [style]").count(), complaints]).toEqual([0, []]);
  });

  test("filters by words, by verdict and by surface", async () => {
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

  test("opens the scenario that judged a clause, collapsed or not", async () => {
    const check = page.locator("[id='three/step']");
    expect(await check.isVisible()).toBe(false);
    await page.click("#GAMMA a");
    await check.waitFor({ state: "visible", timeout: 5000 }); // the page opens it at the event of the new address
  });

  test("is dark if the user prefers dark colours", async () => {
    const paper = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    expect(await paper()).toBe("rgb(255, 255, 255)");
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await paper()).toBe("rgb(18, 22, 29)");
    await page.emulateMedia({ colorScheme: "light" });
  });

  test("opens at the address of a finding, and moves between findings by keyboard", async () => {
    await page.goto(`${pathToFileURL(file).href}#BETA`);
    const focused = () => page.evaluate("document.activeElement.id");
    expect(await focused()).toBe("two/step");
    await page.goto(pathToFileURL(many).href);
    for (const [key, id] of [
      ["j", "s0/step"],
      ["j", "s1/step"],
      ["k", "s0/step"],
    ] as const) {
      await page.keyboard.press(key);
      expect(await focused()).toBe(id);
    }
    await page.keyboard.press("/");
    expect(await focused()).toBe("search");
    await page.goto(`${pathToFileURL(many).href}#s99/step`);
    expect(await page.locator("[id='s99/step']").isVisible()).toBe(true);
  });

  test("filters findings by cause and by section", async () => {
    await page.goto(pathToFileURL(many).href);
    const found = () => page.textContent(".found");
    await page.selectOption("#cause", "cause-2");
    expect([await found(), await page.locator("#cause-1").isVisible()]).toEqual(["10 findings, 0 clauses", false]);
    await page.selectOption("#cause", "");
    await page.selectOption("#section", "1");
    expect(await found()).toBe("1 clause");
  });

  test.each([390, 1280])("needs no horizontal scrolling at %i pixels, with many findings and with none", async (width) => {
    await page.setViewportSize({ width, height: 844 });
    for (const one of [file, many, none, results]) {
      await page.goto(pathToFileURL(one).href);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test("prints a hundred findings of ten causes on ten pages", async () => {
    await page.goto(pathToFileURL(many).href);
    const pdf = await page.pdf({ format: "A4" });
    expect(pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length).toBeLessThanOrEqual(10);
  });

  test("prints the findings on white, without controls and passed checks", async () => {
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.locator("[id='two/step']").isVisible()).toBe(true);
    expect(await page.locator("#ALPHA").isVisible()).toBe(false);
    expect(await page.locator(".bar").isVisible()).toBe(false);
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(255, 255, 255)");
    await page.emulateMedia({ media: "screen", colorScheme: "light" });
  });
});
