import { Badge } from "./parts.jsx";

/** Renders the status of a response, or that there was no response. */
export function Status({ status }: { status: number | null }) {
  if (status === null) return <Badge tone="bad">lost</Badge>;
  return <Badge tone={status < 300 ? "good" : status < 400 ? "plain" : status < 500 ? "warm" : "bad"}>{status}</Badge>;
}
