import { openWire, type Wire } from "../http/rest.js";
import type { Target } from "../target/target.js";
import type { ApiDocument } from "./api-document.js";
import { addExchange, createOpinion, type SecondOpinion } from "./opinion.js";
import { findPrism, PRISM_PACKAGE, startPrism } from "./prism.js";
import { openRelay, type Relay } from "./relay.js";

/** A wire whose exchanges the validator judges, and its opinion so far. */
export interface SecondOpinionWire {
  wire: Wire;
  opinion(): SecondOpinion;
  close(): Promise<void>;
}

/** Time for the validator, in addition to the request timeout of the target. */
const EXTRA_TIMEOUT_MS = 10_000;

/**
 * Puts Prism's validating proxy between the runner and the target, or returns why it cannot. Requests and responses keep their exact bytes:
 * a relay behind Prism sends the original request and keeps the original response.
 */
export async function openSecondOpinion(
  document: ApiDocument,
  target: Target,
  direct: Wire,
): Promise<({ ok: true } & SecondOpinionWire) | { ok: false; exitCode: 2 | 4; why: string }> {
  const prism = findPrism();
  if (!prism)
    return {
      ok: false,
      exitCode: 2,
      why: `--second-opinion needs Prism, which is not installed: npm install --save-dev ${PRISM_PACKAGE}`,
    };
  const relay = await openRelay();
  const proxy = await startPrism(prism.cli, document.content(), relay.url);
  if (!("url" in proxy)) {
    await relay.close();
    return { ok: false, exitCode: 4, why: `Prism did not start: ${proxy.why}` };
  }
  const toProxy = openWire({ timeoutMs: target.timing.requestTimeoutSeconds * 1000 + EXTRA_TIMEOUT_MS });
  const opinion = createOpinion(prism.version);
  return {
    ok: true,
    wire: createWireThrough({ document, api: target.urls.api, proxy: proxy.url, direct, toProxy, relay, opinion }),
    opinion: () => opinion,
    close: () => Promise.all([toProxy.close(), proxy.close(), relay.close()]).then(() => {}),
  };
}

interface WireParts {
  document: ApiDocument;
  api: string;
  proxy: string;
  direct: Wire;
  toProxy: Wire;
  relay: Relay;
  opinion: SecondOpinion;
}

/** Returns a wire that sends requests of the REST API through the validator, and all other requests directly to the target. */
function createWireThrough({ document, api, proxy, direct, toProxy, relay, opinion }: WireParts): Wire {
  return {
    async send(request, signal) {
      const path = request.url.slice(api.length);
      if (!request.url.startsWith(api) || !document.covers(path)) return direct.send(request, signal);
      const relayed = relay.register(() => direct.send(request, signal));
      const validated = await toProxy.send({
        ...request,
        url: proxy + path,
        headers: { ...request.headers, ...relayed.headers },
      });
      relayed.end();
      // the target also receives requests that the validator rejects, such as a body that is not JSON
      const exchange = await relayed.send();
      // a response that Prism made itself does not judge the target's response
      const isJudged = relayed.isForwarded() && validated.response?.status === exchange.response?.status;
      if (exchange.response)
        addExchange(opinion, { ...request, url: path }, isJudged ? validated.response : undefined, document.operationOf);
      return exchange;
    },
    close: direct.close,
  };
}
