import ipaddr from "ipaddr.js";
import type { Step } from "../../engine/scenario/format.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import type { BindingProof } from "../../engine/target/rules.js";
import { VIEW_SCOPES } from "../statements/roles.js";
import { createKeyBody } from "../statements/setup-steps.js";
import { createKeyStep } from "./key-proofs.js";

/** How a server shows the networks around the runner: a key that allows the address of the runner alone is accepted. */
export const networksProof: BindingProof = {
  contradiction: findNetworkContradiction,
  ways: [createFencedKey("host"), createFencedKey("one")],
};

function createFencedKey(network: string): readonly Step[] {
  const body = { ...createKeyBody(VIEW_SCOPES), allowed_cidrs: [`{binding.networks.inside.${network}}`] };
  return [createKeyStep("mine", body), { rest: "GET /api/jobs?limit=1", as: "mine", expect: { status: 200 } }];
}

/** Every network inside contains the address of the runner, and no network outside does. */
function findNetworkContradiction({ networks }: Readonly<Record<string, unknown>>): string | undefined {
  const { inside, outside } = isRecord(networks) ? networks : {};
  const { host } = isRecord(inside) ? inside : {};
  if (typeof host !== "string" || !ipaddr.isValid(host))
    return "networks.inside.host is not an IP address, so nothing shows the others";
  const address = ipaddr.process(host);
  const contains = (range: string): boolean => {
    const [base, bits] = range.includes("/")
      ? ipaddr.parseCIDR(range)
      : [ipaddr.process(range), address.kind() === "ipv4" ? 32 : 128];
    return base.kind() === address.kind() && address.match([base, bits] as [ipaddr.IPv4, number]);
  };
  for (const [side, ranges] of Object.entries({ inside, outside }))
    for (const [name, value] of Object.entries(isRecord(ranges) ? ranges : {})) {
      const range = String(value);
      if (!ipaddr.isValid(range) && !ipaddr.isValidCIDR(range)) return `networks.${side}.${name} is not an IP address or range`;
      if (contains(range) !== (side === "inside"))
        return `networks.${side}.${name} ${side === "inside" ? "does not contain" : "contains"} networks.inside.host, ${host}`;
    }
  return undefined;
}
