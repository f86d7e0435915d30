import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { canCertify, certify } from "../../engine/http/certificate.js";
import { describeWith } from "../../meta/needs.js";
import { closeLater, examine, openStarts, startBehind } from "../starts.js";

openStarts();

describeWith({ name: "openssl", found: canCertify }, "TLS", () => {
  /** A server with a certificate that answers no request. */
  async function secured(name: string, options: { expired?: boolean } = {}) {
    const certificate = certify(name, options);
    const server = createTlsServer(certificate, (_, response) => response.end('{"data":[]}'));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closeLater({ close: () => [server.close(), server.closeAllConnections(), certificate.remove()] });
    return { port: (server.address() as AddressInfo).port, file: certificate.file };
  }

  test.each([
    ["signed by itself", "127.0.0.1", {}, false, /certificate is self-signed/],
    ["of another host", "elsewhere.example", {}, true, /certificate is for another host/],
    ["that is expired", "127.0.0.1", { expired: true }, true, /certificate has expired/],
  ])("with a certificate %s is not trusted", async (_, name, options, isKnown, sentence) => {
    const { port, file } = await secured(name, options);
    const own = isKnown ? { env: { NODE_EXTRA_CA_CERTS: file } } : {};
    const { code, first } = await examine(`https://127.0.0.1:${port}`, { key: "some-key", ...own });
    expect([code, first]).toEqual([4, expect.stringMatching(sentence)]);
    expect(first).toContain("NODE_EXTRA_CA_CERTS");
  });

  test("with a certificate of a known authority is used", async () => {
    const { port, file } = await secured("127.0.0.1");
    const { code } = await examine(`https://127.0.0.1:${port}`, { key: "some-key", env: { NODE_EXTRA_CA_CERTS: file } });
    expect([1, 3]).toContain(code);
  });

  test("is missing where it is configured, and present where it is not", async () => {
    const plainUrl = new URL(await startBehind());
    expect(await examine(`https://${plainUrl.host}`)).toMatchObject({
      code: 2,
      first: expect.stringContaining(`speaks http, not https: give http://${plainUrl.host}.`),
    });
    const { port } = await secured("127.0.0.1");
    expect(await examine(`http://127.0.0.1:${port}`)).toMatchObject({
      code: 2,
      first: expect.stringContaining(`speaks https, not http: give https://127.0.0.1:${port}.`),
    });
  });
});
