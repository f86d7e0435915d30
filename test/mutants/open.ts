import type { Service } from "../../src/mock/call/service.js";
import type { HostName } from "../../src/mock/http/host-names.js";
import { type Mock, openMock } from "../../src/mock/server.js";
import { perform } from "../../src/service/perform.js";
import { authenticateToolCaller, drawToolRequest, performTool } from "../../src/service/tools/perform-tool.js";
import type { AroundTool, Fault, WrapCall, WrapEntry } from "./mutant.js";
import { type AroundWire, openProxy } from "./wire.js";

/** A server to examine. */
export interface Examined {
  url: string;
  close(): Promise<void>;
}

/** The places of a fault. */
interface Places {
  around?: WrapCall;
  aroundTool?: AroundTool;
  aroundEntry?: WrapEntry;
  aroundWire?: AroundWire;
}

const soundServer: Service = { perform, authenticateToolCaller, drawToolRequest, performTool };

/** The mode of the mock's clock. A run without a clock hook needs a clock that moves by itself. */
type Clock = "frozen" | "real";

/** Opens the mock without a fault. */
export function openSound(clock: Clock = "frozen"): Promise<Examined> {
  return openExamined(soundServer, clock);
}

/** Opens the mock with a fault in it, or on the wire in front of it. */
export function openMutant(fault: Fault, clock: Clock = "frozen"): Promise<Examined> {
  return "aroundWire" in fault
    ? openBehind(fault.aroundWire, serviceWith(fault), clock)
    : openExamined(serviceWith(fault), clock);
}

async function openExamined(service: Service, clock: Clock): Promise<Examined> {
  const mock = await openWith(service, clock);
  return { url: mock.api_url, close: () => mock.close() };
}

function serviceWith(fault: Fault): Service {
  const { around: wrapCall, aroundTool, aroundEntry }: Places = fault;
  return {
    ...soundServer,
    ...(wrapCall && { perform: (world, call) => wrapCall(world, call, perform) }),
    ...(aroundTool && { performTool: (world, call) => aroundTool(world, call, performTool) }),
    ...(aroundEntry && {
      authenticateToolCaller: (world, authorization, ip) =>
        aroundEntry(world, authorization, (sent) => authenticateToolCaller(world, sent, ip)),
    }),
  };
}

async function openWith(service: Service, clock: Clock): Promise<Mock> {
  const mock = await openMock({ clock }, { service });
  if ("problem" in mock) throw new Error(mock.problem);
  return mock;
}

/** A mock behind a proxy, which knows its hosts by their paths on the API host; its description of itself names the proxy. */
async function openBehind(wrapCall: AroundWire, service: Service, clock: Clock): Promise<Examined> {
  const mock = await openWith(service, clock);
  const api = await openProxy("api", mock.api_url, async (relayedRequest, send) => {
    if (relayedRequest.path === "/__mock/target") {
      const response = await send(relayedRequest);
      return { ...response, text: response.text.replaceAll(mock.api_url, api.url) };
    }
    const [prefix = "", host = relayedRequest.host] = /^\/__mock\/hosts\/(app|docs)/.exec(relayedRequest.path) ?? [];
    const inside = { ...relayedRequest, host: host as HostName, path: relayedRequest.path.slice(prefix.length) };
    return wrapCall(inside, (changedRelayedRequest) =>
      send({ ...changedRelayedRequest, path: prefix + changedRelayedRequest.path }),
    );
  });
  return { url: api.url, close: async () => void (await Promise.all([api, mock].map((one) => one.close()))) };
}
