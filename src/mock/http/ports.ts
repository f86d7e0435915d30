import type { Problem } from "../../common/problem.js";
import type { HostName } from "./host-names.js";
import { explainListen } from "./listen-address.js";

/** The port options of a mock. */
interface PortOptions {
  port?: number;
  appPort?: number;
  docsPort?: number;
}

const greatestPort = 65_535;
const flags: Record<HostName, string> = { api: "--port", app: "--app-port", docs: "--docs-port" };

/** Returns the port of each host. A port that is not given follows the port of the API host, or is free if that is 0. */
export function assignPorts({ port = 0, appPort, docsPort }: PortOptions): Record<HostName, number> | Problem {
  const next = (distance: number) => (port === 0 ? 0 : port + distance);
  const ports = { api: port, app: appPort ?? next(1), docs: docsPort ?? next(2) };
  const hosts = Object.keys(ports) as HostName[];
  const above = hosts.find((host) => ports[host] > greatestPort);
  if (above)
    return {
      problem: `There is no port ${ports[above]} for ${flags[above]} behind --port ${port}: give ${flags[above]}, or another --port.`,
    };
  const repeatedHostName = hosts.find(
    (host, i) => ports[host] !== 0 && hosts.findIndex((otherHostName) => ports[otherHostName] === ports[host]) < i,
  );
  return repeatedHostName
    ? { problem: `Port ${ports[repeatedHostName]} is given for two hosts: give ${flags[repeatedHostName]} another port.` }
    : ports;
}

/** Explains in one sentence why the port of a host cannot be opened, and how a port that the user did not give was chosen. */
export function explainPortError(
  error: NodeJS.ErrnoException,
  name: HostName,
  port: number,
  options: PortOptions,
  address: string,
): string {
  const why = explainListen(error, address, port);
  const given = { api: options.port, app: options.appPort, docs: options.docsPort }[name];
  if (given !== undefined || port === 0 || name === "api") return why;
  return `${why} It follows --port ${options.port}: give ${flags[name]}, or another --port.`;
}
