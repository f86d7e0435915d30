import type { KeyRow, RowPage } from "../mock/control/state.js";
import { buildWorldPath, sendChange, world } from "./model.js";
import { Badge, CopyButton, formatTime, Gauge, Section } from "./parts.jsx";
import { usePolled } from "./polled.js";

/** The buckets that every request of a key uses. */
const sharedBuckets = ["key", "plan", "mcp"];

/** Renders every key with gauges of its buckets. */
export function Keys() {
  const { value } = usePolled<RowPage<KeyRow>>(buildWorldPath("/state/keys?limit=200"));
  return (
    <div class="cards">
      {value?.rows.map((key) => (
        <KeyCard key={key.id} row={key} token={findToken(key)} />
      ))}
      {value && value.next !== null && (
        <p class="dim">
          Only the first {value.rows.length} of {value.total} are shown.
        </p>
      )}
    </div>
  );
}

function KeyCard({ row, token }: { row: KeyRow; token: string | null }) {
  const set = (bucket: string, used: "all" | 0) =>
    sendChange(
      `PUT ${buildWorldPath("/buckets")}`,
      { key: row.id, bucket, used },
      () => `${bucket} of ${row.name}: ${used === 0 ? "empty" : "full"}.`,
    );
  const shownBuckets = row.buckets.filter(({ bucket, used }) => used > 0 || sharedBuckets.includes(bucket));
  return (
    <Section
      title={row.name}
      aside={
        <>
          {row.dead !== null && <Badge tone="bad">{row.dead}</Badge>}
          {token !== null && <CopyButton label="Copy key" text={token} />}
        </>
      }
    >
      <p class="dim">
        <code>{row.id}</code> {row.workspace}, {row.plan}
        {row.expires_at !== null && `, until ${formatTime(row.expires_at, true)}`}
        {row.allowed_cidrs !== null && `, only from ${row.allowed_cidrs.join(", ") || "nowhere"}`}
      </p>
      <details>
        <summary>{row.scopes.length === 1 ? "1 scope" : `${row.scopes.length} scopes`}</summary>
        <p class="scopes">
          {row.scopes.map((scope) => (
            <Badge key={scope} tone="plain">
              {scope}
            </Badge>
          ))}
        </p>
      </details>
      {shownBuckets.map(({ bucket, used, requests_per_minute, frees_at }) => (
        <div key={bucket} class="bucket">
          <Gauge name={bucket} used={used} size={requests_per_minute} />
          <button type="button" aria-label={`Fill ${bucket} of ${row.name}`} onClick={() => set(bucket, "all")}>
            fill
          </button>
          <button
            type="button"
            aria-label={`Empty ${bucket} of ${row.name}`}
            disabled={used === 0}
            onClick={() => set(bucket, 0)}
          >
            empty
          </button>
          {frees_at !== null && <span class="reset dim">the first request leaves at {formatTime(frees_at)}</span>}
        </div>
      ))}
      {row.buckets.length === 0 && <p class="dim">Limits are off in this world.</p>}
      {row.dollars !== null && (
        <p>
          ${row.dollars.spent.toFixed(2)} of ${row.dollars.per_hour} this hour
        </p>
      )}
    </Section>
  );
}

function findToken({ name }: KeyRow): string | null {
  const keys = world.value?.keys ?? {};
  return Object.hasOwn(keys, name) ? keys[name]! : null;
}
