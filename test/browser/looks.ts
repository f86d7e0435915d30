import axe from "axe-core";
import type { Page } from "playwright-core";

/** Returns the violations of WCAG 2.2, levels A and AA, that axe-core finds on a page: the rule, and each element with what to change. */
export async function listViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: checker } = window as unknown as { axe: typeof axe };
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
    const { violations } = await checker.run(document, { runOnly: { type: "tag", values: tags }, resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary = "" }) => `${id}: ${target.join(" ")}: ${failureSummary.replaceAll("\n", " ")}`),
    );
  });
}

/** Returns the elements that extend beyond the width of a page, or that are visible only after scrolling sideways. */
export function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const scrolling = [document.documentElement, ...document.querySelectorAll("main, main div, main ul")];
    return [
      ...scrolling.filter(
        (element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== "hidden",
      ),
      ...[...document.querySelectorAll("button, input, select, textarea")].filter(
        (element) => element.checkVisibility() && element.getBoundingClientRect().right > width,
      ),
    ].map((element) => `${element.tagName} ${element.id} ${element.className} ${element.scrollWidth}`);
  });
}
