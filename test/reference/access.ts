import { BlockList, isIP, isIPv4 } from "node:net";
import { isLive } from "./keys.js";
import { type Refusal, refuse } from "./operation-result.js";
import { getNow, type Key, type Service, type Workspace, type World } from "./state.js";

/** The caller: with a bearer key, or signed in to the web app. */
export interface Caller {
  world: World;
  workspace: Workspace;
  key?: Key;
  session?: string;
}

/** Accepts or refuses a request by its bearer key. */
export function admit(service: Service, header: string | undefined, address: string): Caller | Refusal {
  const [, secret] = /^Bearer (\S+)$/i.exec(header ?? "") ?? [];
  const found = secret === undefined ? undefined : service.keys.get(secret);
  if (!found) return unknownCredential(service, header === undefined ? "A bearer key is missing" : "Nobody has this bearer key");
  const { world, workspace, key } = found;
  if (!isLive(key, getNow(world))) return unknownCredential(service, "This key is no longer of use");
  if (key.networks && !isWithin(address, key.networks)) return unknownCredential(service, "This key is not for your network");
  if (workspace.suspended) return unknownCredential(service, "Nobody gets in: the workspace was suspended");
  return found;
}

/** Accepts or refuses a request by the cookie of the web app. A suspended workspace allows only reads. */
export function admitSession(service: Service, cookie: string | undefined, method: string): Caller | Refusal {
  const found = [cookie ?? "", ...(cookie ?? "").split(/; */)].flatMap((text) => service.sessions.get(text) ?? [])[0];
  if (!found) return unknownCredential(service, "Sign in first");
  if (found.workspace.suspended && method !== "GET") return unknownCredential(service, "The workspace was suspended");
  return { world: found.world, workspace: found.workspace, session: found.role };
}

function unknownCredential({ choices }: Service, why: string): Refusal {
  const headers = choices.restChallenge ? { "www-authenticate": "Bearer" } : {};
  return refuse(401, "authentication_error", choices.code("not let in"), why, { headers });
}

function isWithin(address: string, networks: readonly string[]): boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [base = "", bits] = network.split("/");
    const family = isIPv4(base) ? "ipv4" : "ipv6";
    if (bits === undefined) list.addAddress(base, family);
    else list.addSubnet(base, Number(bits), family);
  }
  const plain = address.replace(/^::ffff:/, "");
  return isIP(plain) > 0 && list.check(plain, isIPv4(plain) ? "ipv4" : "ipv6");
}
