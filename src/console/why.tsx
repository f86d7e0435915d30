import type { Entry } from "../mock/journal/read-entry.js";
import { moveClock } from "./clock.jsx";
import { Badge, formatTime, Gauge, Prose } from "./parts.jsx";

/** The texts of the checks of the service. */
const checkTexts: readonly [name: string, check: string][] = [
  ["authenticate", "is the key valid"],
  ["rate", "does each bucket allow the call"],
  ["route", "does the route exist"],
  ["body", "is the body readable"],
  ["permission", "does the key permit this"],
  ["schema", "are all values valid"],
  ["operation", "does the state allow it"],
];

/** Renders why the mock answered a call so: a sentence, the checks, the buckets. */
export function Why({ entry }: { entry: Entry }) {
  const { rule, buckets, unread, nearest, changes } = entry;
  return (
    <div class="reasons">
      <p class="verdict">{buildSentence(entry)}</p>
      {rule.description !== null && (
        <p>
          <Prose text={rule.description} /> <code>{rule.clause}</code>
        </p>
      )}
      <RetryAfterButton entry={entry} />
      {buckets.map(({ bucket, requests_per_minute, before, after }) => (
        <Gauge key={bucket} name={bucket} before={before} used={after} size={requests_per_minute} />
      ))}
      <Gates entry={entry} />
      {unread.length > 0 && <p>Unknown fields: {unread.map((part) => [<code key={part}>{part}</code>, " "])}</p>}
      {nearest.length > 0 && <p>Nearest routes: {nearest.map((route) => [<code key={route}>{route}</code>, " "])}</p>}
      {changes.length > 0 && (
        <ul class="changes">
          {changes.map(({ kind, id, from, to }, i) => (
            <li key={i}>
              {kind} <code>{id}</code> {from === null ? "" : `${from} → `}
              {to}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function buildSentence({ status, rule, fault, forced, buckets, role }: Entry): string {
  if (fault !== null) return `The fault ${fault} changed this call${status === null ? ": it got no answer" : ""}.`;
  if (forced) return "The client forced this answer with a Prefer header.";
  if (rule.code === null) return role === null ? "Served." : `Served: every check accepted ${role}.`;
  const full = buckets.find(({ before, requests_per_minute }) => before >= requests_per_minute);
  if (rule.gate === "rate" && full)
    return `${rule.code}: the bucket ${full.bucket} was full, with ${full.before} of ${full.requests_per_minute} requests in this minute.`;
  return `${rule.code}: refused by the check ${rule.gate}.`;
}

/** Renders a button that moves the clock by the `Retry-After` of the response. */
function RetryAfterButton({ entry }: { entry: Entry }) {
  const wait = Number(entry.answer.headers["retry-after"] ?? Number.NaN);
  if (!Number.isFinite(wait)) return null;
  const until = new Date(Date.parse(entry.at) + wait * 1000).toISOString();
  return (
    <p>
      The answer says: wait {wait} s, until {formatTime(until)}.{" "}
      <button type="button" onClick={() => moveClock({ to: until })}>
        Move the clock there
      </button>
    </p>
  );
}

function Gates({ entry: { passed, rule } }: { entry: Entry }) {
  return (
    <ol class="gates" aria-label="Gates">
      {checkTexts.map(([name, question]) => {
        const isStop = rule.code !== null && rule.gate === name;
        const isPast = (passed as readonly string[]).includes(name) || (rule.code === null && rule.gate === name);
        return (
          <li key={name} title={question}>
            <Badge tone={isStop ? "bad" : isPast ? "good" : "plain"}>
              {isStop ? "✗" : isPast ? "✓" : "–"} {name}
            </Badge>
          </li>
        );
      })}
    </ol>
  );
}
