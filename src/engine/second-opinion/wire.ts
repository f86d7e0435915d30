import { openWire, type Wire } from "../http/rest.js";
import type { Target } from "../target/target.js";
import type { ApiDocument } from "./api-document.js";
import { addExchange, emptyOpinion, type SecondOpinion } from "./opinion.js";
import { findPrism, PACKAGE, startPrism } from "./prism.js";
import { openRelay, type Relay } from "./relay.js";

/** A wire that the validator listens to, and its opinion so far. */
export interface SecondOpinionWire {
  wire: Wire;
  opinion(): SecondOpinion;
  close(): Promise<void>;
}

/** What the validator may take beyond the target's own time. */
const PATIENCE_MS = 10_000;

/**
 * Puts Prism's validating proxy between examiner and target. The target gets, and the examiner judges, the same bytes with it and without: behind
 * Prism a relay of ours sends each request as the examiner wrote it and keeps the answer as it came.
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
      why: `--second-opinion needs Prism, which is not installed: npm install --save-dev ${PACKAGE}`,
    };
  const relay = await openRelay();
  const proxy = await startPrism(prism.cli, document.content(), relay.url);
  if (!("url" in proxy)) {
    await relay.close();
    return { ok: false, exitCode: 4, why: `Prism did not start: ${proxy.why}` };
  }
  const toProxy = openWire({ timeoutMs: target.timing.requestTimeoutSeconds * 1000 + PATIENCE_MS });
  const opinion = emptyOpinion(prism.version);
  return {
    ok: true,
    wire: wireThrough({ document, api: target.urls.api, proxy: proxy.url, direct, toProxy, relay, opinion }),
    opinion: () => opinion,
    close: () => Promise.all([toProxy.close(), proxy.close(), relay.close()]).then(() => {}),
  };
}

interface Detour {
  document: ApiDocument;
  api: string;
  proxy: string;
  direct: Wire;
  toProxy: Wire;
  relay: Relay;
  opinion: SecondOpinion;
}

/** A wire that sends the REST API's requests through the validator; the tool server, the control plane and hooks are none of its business. */
function wireThrough({ document, api, proxy, direct, toProxy, relay, opinion }: Detour): Wire {
  return {
    async send(request, signal) {
      const path = request.url.slice(api.length);
      if (!request.url.startsWith(api) || !document.covers(path)) return direct.send(request, signal);
      const passage = relay.begin(() => direct.send(request, signal));
      const seen = await toProxy.send({ ...request, url: proxy + path, headers: { ...request.headers, ...passage.headers } });
      passage.end();
      // what the validator did not let through, a body that is no JSON for one, is sent all the same
      const exchange = await passage.send();
      // an answer of its own is no judgement of the target's
      const judged = passage.isForwarded() && seen.response?.status === exchange.response?.status;
      if (exchange.response)
        addExchange(opinion, { ...request, url: path }, judged ? seen.response : undefined, document.operationOf);
      return exchange;
    },
    close: direct.close,
  };
}
