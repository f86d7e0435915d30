import { expect, it } from "vitest";
import { describeWith } from "../meta/needs.js";
import { send, sendBytes } from "../mock/client.js";
import { browserPath } from "./chromium.js";
import { openConsole, sizes } from "./console-page.js";
import { listViolations, tooWide } from "./looks.js";

const rooms = ["traffic", "state", "keys", "faults", "drives", "errors", "worlds"];

describeWith({ name: "chromium", found: browserPath !== undefined }, "the looks and the speed of the console", () => {
  const { mock, page, open, jobs, rows, room, shoot, strangers: unknownCredentials, complaints } = openConsole();

  it("is quick with ten thousand calls", async () => {
    const world = await mock().world({ limits: "off" });
    const host = new URL(mock().api_url).host;
    const call = (n: number) =>
      `GET /api/jobs/job_${n} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${world.keys.viewer}\r\n${n === 10_000 ? "connection: close\r\n" : ""}\r\n`;
    await sendBytes(mock().api_url, Array.from({ length: 10_000 }, (_, i) => call(i + 1)).join(""));
    await open(`#${world.id}/traffic`);
    await page().getByText("10000 of 10000 calls").waitFor({ timeout: 50_000 });
    expect(await rows().count()).toBeLessThan(80);
    const times = await page().evaluate(measureList);
    console.log(`The console with 10,000 calls, in ms: ${JSON.stringify(times)}`);
    // wide bounds: other tests run beside
    expect(times.usualFrame).toBeLessThan(100);
    expect(times.filter).toBeLessThan(1000);
    const begin = performance.now();
    await send(`GET ${mock().api_url}/api/repos`, { key: world.keys.viewer! });
    await page().getByLabel("Filter calls").fill("/api/repos");
    await rows().filter({ hasText: "/api/repos" }).waitFor();
    expect(performance.now() - begin).toBeLessThan(3000);
    world.remove();
  });

  it("is readable on every page, in light and dark colours, and nothing overflows at any width", async () => {
    mock().setBucket({ key: "key_viewer", bucket: "plan", used: "all" });
    mock().fault({ on: "GET /api/repos", nth: 1, status: 503 });
    await send(`GET ${mock().api_url}/api/repos`, { key: mock().keys.full! });
    await jobs(`?search=${"long".repeat(60)}`);
    await rows().nth(1).waitFor();
    await page().setViewportSize(sizes.phone);
    expect(await tooWide(page())).toEqual([]);
    await shoot("list-390");
    await rows().first().click();
    await shoot("call-390");
    for (const name of rooms) {
      await page().setViewportSize(sizes.wide);
      await room(name);
      await page().locator(`#room[aria-labelledby=tab-${name}] :is(.entry, section)`).first().waitFor();
      for (const colorScheme of ["light", "dark"] as const) {
        await page().emulateMedia({ colorScheme });
        expect(await listViolations(page()), `${name}, ${colorScheme}`).toEqual([]);
        await shoot(`${name}-${colorScheme}`);
      }
      expect(await tooWide(page()), name).toEqual([]);
      await page().setViewportSize(sizes.phone);
      expect(await tooWide(page()), `${name} on a phone`).toEqual([]);
    }
    await shoot("worlds-390");
    await page().setViewportSize(sizes.wide);
    await page().emulateMedia({ colorScheme: "light" });
  });

  it("sends requests only to this mock, without an error", () => {
    expect([...unknownCredentials(), ...complaints()]).toEqual([]);
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
