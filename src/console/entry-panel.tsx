import type { Entry } from "../mock/journal/entry.js";
import { curlOf } from "./curl.js";
import { act, addresses, cutTo, here, routes, selected, tab, wantedFault, world } from "./model.js";
import { CopyButton, Json, SureButton } from "./parts.jsx";
import { focusOn, listId } from "./places.js";
import { Status } from "./status.jsx";
import { Why } from "./why.jsx";

/** One call: why it was answered so, what was sent and what came back. */
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
        <CopyButton label="Copy as curl" text={curlLine(entry)} />
        {route !== null && (
          <button
            type="button"
            onClick={() => {
              wantedFault.value = { on: route, nth: 1, status: 503 };
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

/** Goes back from a call to the list. */
export function closeEntry(): void {
  selected.value = null;
  focusOn(listId);
}

/** The call as a line for a shell, with the key that called where the world has it. */
export function curlLine(entry: Entry): string {
  const keys = world.value?.keys ?? {};
  const token = entry.role !== null && Object.hasOwn(keys, entry.role) ? keys[entry.role]! : null;
  return curlOf(entry, { addresses: addresses.value, token });
}

/** The journal counts calls by their answers, the log by when they took effect: only a call that names its place there can be undone. */
function Rewind({ entry }: { entry: Entry & { log?: number } }) {
  if (entry.log === undefined || !routes.value.has("POST /worlds/{id}/rewind")) return null;
  const rewind = async () => {
    const say = () => `The world is as it was before call ${entry.number}.`;
    const outcome = await act(`POST ${here("/rewind")}`, { to: entry.log }, say);
    if ("value" in outcome) cutTo(entry.number - 1);
  };
  return <SureButton label="Rewind to before this call" onSure={rewind} />;
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
