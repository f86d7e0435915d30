import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A key and a self-signed certificate. `file` is the path of the certificate until `remove`. */
export interface Certificate {
  key: string;
  cert: string;
  file: string;
  remove(): void;
}

/** Whether openssl is installed. */
export const canCertify = (() => {
  try {
    return execFileSync("openssl", ["version"], { stdio: "pipe" }).length > 0;
  } catch {
    return false;
  }
})();

/** Creates a certificate for a host name or an IP address. With `expired`, it expired yesterday. */
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
