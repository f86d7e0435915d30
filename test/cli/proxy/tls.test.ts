import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Certificate, canCertify, certify } from "../../engine/http/certificate.js";
import { describeWith } from "../../meta/needs.js";
import { counterpartProcessIn } from "../counterpart.js";

describeWith({ name: "openssl", found: canCertify }, "a server that speaks TLS, through a proxy", () => {
  let certificate: Certificate;
  let url: string;
  const server = (cert: Certificate) =>
    createServer(cert, (_, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end('{"data":[],"next_cursor":null,"has_more":false}'),
    );
  let running: ReturnType<typeof server>;
  beforeAll(async () => {
    certificate = certify("127.0.0.1");
    running = server(certificate);
    await new Promise<void>((resolve) => running.listen(0, "127.0.0.1", resolve));
    url = `https://127.0.0.1:${(running.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    running.close();
    running.closeAllConnections();
    certificate.remove();
  });

  const code = `
    const answer = await fetch(process.env.COUNTERPART_API_URL + "/api/jobs", { headers: { authorization: "Bearer a-key" } });
    console.log(answer.status, await answer.text());
  `;
  const ask = (env: NodeJS.ProcessEnv) =>
    counterpartProcessIn(env, "proxy", url, "--port", "0", "--", process.execPath, "--input-type=module", "-e", code);

  test("gets requests if its certificate is of a known authority", async () => {
    const { code: exit, out } = await ask({ ...process.env, NODE_EXTRA_CA_CERTS: certificate.file });
    expect([exit, out]).toEqual([0, expect.stringMatching(/^200 \{"data":\[\].*NO FINDINGS, 1 answers/s)]);
  });

  test("gets no request otherwise, and the client gets the reason", async () => {
    const { out } = await ask({ ...process.env });
    expect(out).toMatch(/^502 .*no trusted TLS connection \(its certificate is self-signed\)/);
  });
});
