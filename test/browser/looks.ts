import type { Page } from "playwright-core";

/** Returns the texts of a page whose contrast with the background is too low (WCAG 2.2, 1.4.3), with their ratios. */
export function faintTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = (color: string) => {
      const [r, g, b] = channels(color)
        .slice(0, 3)
        .map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
    };
    const behind = (element: Element): string => {
      const color = getComputedStyle(element).backgroundColor;
      if (channels(color)[3] !== 0) return color;
      return element.parentElement ? behind(element.parentElement) : "rgb(255, 255, 255)";
    };
    return [...document.querySelectorAll("body *")].flatMap((element) => {
      const text = [...element.childNodes]
        .map((node) => (node.nodeType === 3 ? node.textContent : ""))
        .join("")
        .trim();
      // disabled elements may have a low contrast
      if (text === "" || element.matches(":disabled, option") || !element.checkVisibility()) return [];
      const [one, other] = [luminance(getComputedStyle(element).color), luminance(behind(element))];
      const ratio = (Math.max(one!, other!) + 0.05) / (Math.min(one!, other!) + 0.05);
      return ratio < 4.5 ? [`${ratio.toFixed(2)} ${text.slice(0, 40)}`] : [];
    });
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

/** Returns the controls of a page that have no accessible name. */
export function namelessParts(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLInputElement>("button, input, select, textarea, meter, dialog, [role=tab]")]
      .filter((element) => {
        const label = element.getAttribute("aria-label") ?? [...(element.labels ?? [])].map((one) => one.textContent).join("");
        return (label || (element.tagName === "BUTTON" && element.textContent) || "").trim() === "";
      })
      .map((element) => element.outerHTML.slice(0, 120)),
  );
}
