import { type Mutant, type Shown, showing, telling, withRows } from "./mutant.js";

const list = "GET /api/observations";
const get = "GET /api/observations/{ref}";

/** Faults in the fields that an observation and its fix PR are shown with. */
export const observationFieldMutants: Mutant[] = [
  {
    name: "writes the refs of advisories in small letters",
    breaks: "OBS-FIELD-REF",
    around: showing(list, (row) => (row.kind === "advisory" ? { ...row, ref: String(row.ref).toLowerCase() } : row)),
  },
  {
    name: "shows one observation by its number alone",
    breaks: "OBS-FIELD-REF",
    around: showing(get, (row) => ({ ...row, ref: String(row.ref).replace("SERVICE-", "") })),
  },
  { name: "calls an advisory a notice", breaks: "OBS-FIELD-KIND", around: calling(list, "kind", "advisory", "notice") },
  { name: "shows a finding as an issue", breaks: "OBS-FIELD-KIND", around: calling(get, "kind", "finding", "issue") },
  { name: "calls a new observation open", breaks: "OBS-FIELD-STATUS", around: calling(list, "status", "new", "open") },
  {
    name: "shows a closed observation as dismissed",
    breaks: "OBS-FIELD-STATUS",
    around: calling(get, "status", "closed", "dismissed"),
  },
  {
    name: "writes the highest priority in small letters",
    breaks: "OBS-FIELD-PRIORITY",
    around: calling(list, "priority", "P0", "p0"),
  },
  {
    name: "shows one observation with its priority as a number",
    breaks: "OBS-FIELD-PRIORITY",
    around: showing(get, (row) => ({ ...row, priority: Number(String(row.priority).slice(1)) })),
  },
  {
    name: "tells the category architecture as design",
    breaks: "OBS-FIELD-CATEGORY",
    around: calling(list, "category", "architecture", "design"),
  },
  {
    name: "shows one observation with its domain for its category",
    breaks: "OBS-FIELD-CATEGORY",
    around: showing(get, (row) => ({ ...row, category: "code_quality" })),
  },
  {
    name: "lists observations without a description",
    breaks: "OBS-FIELD-TEXT",
    around: showing(list, ({ description: _, ...row }) => row),
  },
  {
    name: "shows one observation without a title",
    breaks: "OBS-FIELD-TEXT",
    around: showing(get, (row) => ({ ...row, title: null })),
  },
  {
    name: "says no where an observation was never acknowledged",
    breaks: "OBS-FIELD-ACK-TYPE",
    around: showing(list, (row) => ({ ...row, acknowledged_at: row.acknowledged_at ?? false })),
  },
  {
    name: "says yes where an observation was acknowledged",
    breaks: "OBS-FIELD-ACK-TYPE",
    around: showing(get, (row) => ({ ...row, acknowledged_at: row.acknowledged_at === null ? null : true })),
  },
  {
    name: "closes by resolved what was completed",
    breaks: "OBS-FIELD-CLOSE-ENUM",
    around: calling(list, "close_reason", "completed", "resolved"),
  },
  {
    name: "shows no reason why an observation is closed",
    breaks: "OBS-FIELD-CLOSE-ENUM",
    around: showing(get, (row) => (row.close_reason ? { ...row, close_reason: "" } : row)),
  },
  {
    name: "lists fix PRs by tool without a ref",
    breaks: "OBS-LANE-FIELD-CONTENT",
    aroundTool: telling("list_fix_prs", ({ ref: _, ...entry }) => entry),
  },
  {
    name: "lists fix PRs by tool without a title",
    breaks: "OBS-LANE-FIELD-CONTENT",
    aroundTool: telling("list_fix_prs", ({ title: _, ...entry }) => entry),
  },
  {
    name: "lists fix PRs by tool without a link",
    breaks: "OBS-LANE-FIELD-CONTENT",
    aroundTool: telling("list_fix_prs", ({ pr_url: _, ...entry }) => entry),
  },
  {
    name: "lists an open fix PR by tool as open",
    breaks: "OBS-LANE-FIELD-STATUS",
    aroundTool: telling("list_fix_prs", (entry) => (entry.status === "in_review" ? { ...entry, status: "open" } : entry)),
  },
  {
    name: "lists a fix PR under revision by tool as changing",
    breaks: "OBS-LANE-FIELD-STATUS",
    aroundTool: telling("list_fix_prs", (entry) => (entry.status === "revising" ? { ...entry, status: "changing" } : entry)),
  },
  {
    name: "lists a merged fix PR by tool as in review",
    breaks: "OBS-LANE-STATUS-OPEN",
    aroundTool: telling("list_fix_prs", (entry) => (entry.status === "merged" ? { ...entry, status: "in_review" } : entry)),
  },
  {
    name: "lists a fix PR under revision by tool as merged",
    breaks: "OBS-LANE-STATUS-OPEN",
    aroundTool: telling("list_fix_prs", (entry) => (entry.status === "revising" ? { ...entry, status: "merged" } : entry)),
  },
  {
    name: "goes on listing by tool a fix PR that was closed",
    breaks: "OBS-LANE-STATUS-OPEN",
    aroundTool(world, call, performTool) {
      const reply = performTool(world, call);
      const closed = Object.values(world.observations).filter(({ fix_pr }) => fix_pr?.status === "closed");
      const entries = closed.map(({ ref, title, fix_pr }) => ({ ref, title, pr_url: fix_pr?.url, status: "revising" }));
      return call.purpose === "list_fix_prs" ? withRows<Shown>(reply, (rows) => [...rows, ...entries]) : reply;
    },
  },
];

/** Shows a value of a field as another. */
function calling(route: string, field: string, value: string, name: string) {
  return showing(route, (row) => (row[field] === value ? { ...row, [field]: name } : row));
}
