import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A key and a certificate signed by itself; `file` holds the certificate as long as the test runs. */
export interface Certificate {
  key: string;
  cert: string;
  file: string;
  remove(): void;
}

/** Whether this machine can make certificates. */
export const canCertify = (() => {
  try {
    return execFileSync("openssl", ["version"], { stdio: "pipe" }).length > 0;
  } catch {
    return false;
  }
})();

/** Makes a certificate for a host name or an IP address; with `expired`, one whose last day is over. */
export function certify(name: string, { expired = false } = {}): Certificate {
  const directory = mkdtempSync(join(tmpdir(), "certificate-"));
  const [key, request, cert] = ["key", "request", "cert"].map((file) => join(directory, `${file}.pem`)) as [
    string,
    string,
    string,
  ];
  const kind = /^[\d.]+$/.test(name) ? "IP" : "DNS";
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "pipe" });
  const names = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=${kind}:${name}`];
  openssl(
    "req",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-keyout",
    key,
    "-out",
    request,
    ...names,
  );
  openssl(
    "x509",
    "-req",
    "-in",
    request,
    "-signkey",
    key,
    "-copy_extensions",
    "copy",
    "-days",
    expired ? "-1" : "2",
    "-out",
    cert,
  );
  return {
    key: readFileSync(key, "utf8"),
    cert: readFileSync(cert, "utf8"),
    file: cert,
    remove: () => rmSync(directory, { recursive: true }),
  };
}
