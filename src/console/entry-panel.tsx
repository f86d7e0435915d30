import type { Entry } from "../mock/journal/read-entry.js";
import { buildCurl } from "./curl.js";
import { addresses, buildWorldPath, dropCallsAfter, initialFault, routes, selected, sendChange, tab, world } from "./model.js";
import { ConfirmButton, CopyButton, Json } from "./parts.jsx";
import { focusOn, listId } from "./places.js";
import { Status } from "./status.jsx";
import { Why } from "./why.jsx";

/** Renders one call: why the mock answered so, the request and the response. */
export function EntryPanel({ entry }: { entry: Entry }) {
  const { number, request, status, role, route, at, headers, body, answer } = entry;
  return (
    <aside class="entry" aria-label={`Call ${number}`}>
      <header>
        <h2>
          <Status status={status} /> <span class="request">{request}</span>
        </h2>
        <button type="button" class="close" aria-label="Close" onClick={closeEntry}>
          ×
        </button>
      </header>
      <p class="dim">
        Call {number} by {role ?? "nobody known"} at {at}
        {route !== null && route !== request && (
          <>
            , <code>{route}</code>
          </>
        )}
      </p>
      <div class="actions">
        <CopyButton label="Copy as curl" text={buildCurlLine(entry)} />
        {route !== null && (
          <button
            type="button"
            onClick={() => {
              initialFault.value = { on: route, nth: 1, status: 503 };
              tab.value = "faults";
            }}
          >
            Arm a fault here
          </button>
        )}
        <Rewind entry={entry} />
      </div>
      <h3>Why</h3>
      <Why entry={entry} />
      <h3>Request</h3>
      <Headers headers={headers} />
      {body !== null && <Json value={body} />}
      <h3>Answer</h3>
      <Headers headers={answer.headers} />
      {answer.body === null ? <p class="dim">No body.</p> : <Json value={answer.body} />}
    </aside>
  );
}

/** Renders the button that goes back from a call to the list. */
export function closeEntry(): void {
  selected.value = null;
  focusOn(listId);
}

/** Returns the call as a curl line, with its key if the world has it. */
export function buildCurlLine(entry: Entry): string {
  const keys = world.value?.keys ?? {};
  const token = entry.role !== null && Object.hasOwn(keys, entry.role) ? keys[entry.role]! : null;
  return buildCurl(entry, { addresses: addresses.value, token });
}

/** Renders the button that undoes a call. The call must have a position in the log of the world. */
function Rewind({ entry }: { entry: Entry & { log?: number } }) {
  if (entry.log === undefined || !routes.value.has("POST /worlds/{id}/rewind")) return null;
  const rewind = async () => {
    const say = () => `The world is as it was before call ${entry.number}.`;
    const outcome = await sendChange(`POST ${buildWorldPath("/rewind")}`, { to: entry.log }, say);
    if ("value" in outcome) dropCallsAfter(entry.number - 1);
  };
  return <ConfirmButton label="Rewind to before this call" onConfirm={rewind} />;
}

function Headers({ headers }: { headers: Record<string, string> }) {
  return (
    <dl class="headers">
      {Object.entries(headers).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
