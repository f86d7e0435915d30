import { Badge } from "./parts.jsx";

/** The status of an answer, or that there was none. */
export function Status({ status }: { status: number | null }) {
  if (status === null) return <Badge tone="bad">lost</Badge>;
  return <Badge tone={status < 300 ? "good" : status < 400 ? "plain" : status < 500 ? "warm" : "bad"}>{status}</Badge>;
}
