import { mkdtempSync, rmSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { judgeBundle } from "../../src/engine/run/judge-bundle.js";
import { inspectServer } from "../../src/engine/run/target/inspect-server.js";
import { verify } from "../../src/engine/run/verify.js";
import { buildNetworks } from "../../src/mock/control/networks.js";
import { type Mock, startMock } from "../../src/mock/server.js";
import { openProxy } from "../../src/proxy/proxy.js";
import { suite } from "../../src/suite/suite.js";
import { send } from "../mock/client.js";

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));

describe.skipIf(!hasIpv6)("a server on ::1", () => {
  const here = mkdtempSync(join(tmpdir(), "ipv6-"));
  let mock: Mock;
  beforeAll(async () => {
    mock = await startMock({ host: "::1", clock: "frozen" });
  });
  afterAll(async () => {
    await mock?.close();
    rmSync(here, { recursive: true });
  });

  test("is verified, including key networks and tools, and its bundle is valid", async () => {
    const out = join(here, "out");
    const only = ["key-network-inside", "key-network-outside", "mcp-raw-call"];
    const { exitCode, report } = await verify(suite, { url: `${mock.api_url}/api`, only, out });
    expect([new URL(mock.api_url).hostname, exitCode]).toEqual(["[::1]", 0]);
    const passed = (report?.clauses ?? []).filter(({ verdict }) => verdict === "passed").map(({ id }) => id);
    expect(passed).toEqual(expect.arrayContaining(["KEY-FENCE-INSIDE", "KEY-FENCE-OUTSIDE"]));
    expect((await judgeBundle(suite, { bundle: out })).exitCode).toBe(0);
  });

  test("is inspected by target init", async () => {
    const draft = await inspectServer(suite, { url: `${mock.api_url}/api`, key: mock.keys.full ?? "" });
    expect(draft).toMatchObject({ api: mock.api_url, repos: expect.arrayContaining(["acme/web/main"]) });
    expect(draft).toHaveProperty("listedTools.length", 34);
  });

  test("works behind a proxy on ::1", async () => {
    const proxy = await openProxy({ upstream: mock.api_url, host: "::1", port: 0, timeoutSeconds: 5 });
    const { status } = await send(`GET ${proxy.url}/api/jobs`, { key: mock.keys.full });
    await proxy.close();
    expect([new URL(proxy.url).hostname, status, proxy.report().server.verdict]).toEqual(["[::1]", 200, "no-findings"]);
  });

  test("receives the networks of the client", async () => {
    const target = await (await fetch(`${mock.control_url}/target`)).json();
    expect(target).toMatchObject({ bindings: { networks: buildNetworks("::1") } });
  });
});

test.each([
  ["127.0.0.1", ["127.0.0.1", "127.0.0.1/32", "127.0.0.0/31", "127.0.0.0/24", "127.0.0.0/8", "0.0.0.0/0"]],
  ["::ffff:127.0.0.1", ["127.0.0.1", "127.0.0.1/32", "127.0.0.0/31", "127.0.0.0/24", "127.0.0.0/8", "0.0.0.0/0"]],
  ["::1", ["::1", "::1/128", "::/127", "::/120", "::/104", "::/0"]],
])("networks that contain %s end at the right bit", (caller, inside) => {
  expect(Object.values(buildNetworks(caller).inside)).toEqual(inside);
});

test.each([
  [
    "172.17.0.9",
    [
      "172.17.0.8",
      "172.17.0.10",
      "172.17.0.8/32",
      "172.17.0.10/31",
      "172.17.0.128/25",
      "172.17.1.0/24",
      "173.0.0.0/8",
      "0.0.0.0/1",
    ],
  ],
  ["::1", ["::", "::2", "::/128", "::2/127", "::80/121", "::100/120", "::100:0/104", "8000::/1"]],
])("networks next to %s end at the right bit", (caller, outside) => {
  expect(Object.values(buildNetworks(caller).outside).slice(0, -2)).toEqual(outside);
});
