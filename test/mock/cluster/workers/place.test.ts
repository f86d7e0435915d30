import { describe, expect, it } from "vitest";
import { findOwnerByHead } from "../../../../src/mock/cluster/workers/head.js";
import { findOwner, findWorldName } from "../../../../src/mock/cluster/workers/place.js";
import type { HostName } from "../../../../src/mock/http/host-names.js";

describe("the world that a request is for", () => {
  it.each<[HostName, string, string | undefined, string | undefined, string]>([
    ["api", "/api/jobs", "Bearer mock_w1_full", undefined, "w1"],
    ["api", "/api/jobs", "Bearer mock_full", undefined, "default"],
    ["api", "/api/jobs", undefined, "session=w1_owner", "default"],
    ["app", "/api/jobs", undefined, "a=b; session=w1_owner", "w1"],
    ["app", "/api/jobs", "Bearer mock_w2_full", "session=w1_owner", "w2"],
    ["api", "/mcp/", "Bearer mock_ci-42_full", undefined, "ci-42"],
    ["api", "/__mock/worlds/w7", "Bearer a-token", undefined, "w7"],
    ["api", "/__mock/worlds/w7/journal?x=/y", undefined, undefined, "w7"],
    ["api", "http://127.0.0.1:4010/__mock/worlds/w7/journal", undefined, undefined, "w7"],
    ["api", "/__mock/worlds", "Bearer mock_w1_full", undefined, "default"],
    ["api", "/__mock?x", "Bearer mock_w1_full", undefined, "default"],
    ["api", "/__mocked", "Bearer mock_w1_full", undefined, "w1"],
    ["api", "/__mock/hosts/app/api/jobs", undefined, "session=w1_owner", "w1"],
    ["api", "/__mock/hosts/docs/", "Bearer mock_w1_full", undefined, "default"],
    ["docs", "/openapi.json", "Bearer mock_w1_full", undefined, "default"],
  ])("%s %s with %s and %s", (host, url, authorization, cookie, world) => {
    expect(findWorldName({ host, url, authorization, cookie })).toBe(world);
    const head = [
      `GET ${url} HTTP/1.1`,
      "host: x",
      authorization && `Authorization:  ${authorization}`,
      cookie && `COOKIE: ${cookie}`,
    ];
    const bytes = `${head.filter(Boolean).join("\r\n")}\r\n\r\n`;
    const method = url === "/__mock/worlds" ? "POST" : "GET";
    expect(findOwnerByHead(host, bytes.replace(/^GET/, method), 5)).toBe(findOwner(world, 5));
  });

  it.each<[string, HostName, string, boolean]>([
    ["GET", "api", "/__mock/health", true],
    ["HEAD", "api", "/__mock/health?x=1", true],
    ["GET", "api", "/__mock/worlds", true],
    ["POST", "api", "/__mock/worlds", false],
    ["GET", "api", "/__mock/worlds/w7", false],
    ["GET", "api", "/__mock/target", false],
    ["GET", "app", "/__mock/health", false],
  ])("%s %s%s is for every worker: %s", (method, host, url, isForAll) => {
    expect(findOwnerByHead(host, `${method} ${url} HTTP/1.1\r\nhost: x\r\n\r\n`, 5) === null).toBe(isForAll);
  });

  it("belongs to one worker, and the worlds are spread over all workers", () => {
    for (const count of [2, 3, 8]) {
      const shares = Array.from({ length: count }, () => 0);
      for (let i = 0; i < 2000; i++) shares[findOwner(`w${i}`, count)]!++;
      for (const share of shares) expect(share / (2000 / count)).toBeGreaterThan(0.7);
    }
    expect(findOwner("default", 7)).toBe(0);
  });

  it("may be any if the first bytes are not a request", () => {
    for (const bytes of ["", "\r\n\r\n", "\u0016\u0003\u0001", "GET"]) expect(findOwnerByHead("api", bytes, 3)).toBe(0);
  });
});
