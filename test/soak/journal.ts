import { type CallerState, control } from "./caller.js";

interface Entry {
  headers: Record<string, string>;
  status: number | null;
}

/** Compares a world's journal with what its caller saw: each answered call was done once, each other at most once. */
export async function checkJournal(caller: CallerState): Promise<void> {
  const { tally, calls, id } = caller;
  const { json } = await control(caller, "GET", `/worlds/${id}/journal`);
  const { total, kept, entries } = json as { total: number; kept: number; entries: Entry[] };
  if (total !== kept) throw new Error(`the journal of ${id} has room for ${kept} calls, and there were ${total}`);
  const noted = new Map<number, Entry[]>();
  for (const entry of entries) {
    const number = Number(/^soak-(\d+)$/.exec(entry.headers["user-agent"] ?? "")?.[1]);
    noted.set(number, [...(noted.get(number) ?? []), entry]);
  }
  for (const [number, status] of calls) {
    const ownEntries = noted.get(number) ?? [];
    if (ownEntries.length > 1) tally.doubled++;
    if (ownEntries.length > 1) tally.broken.push(`${id}: call ${number} was done ${ownEntries.length} times`);
    if (status === null) continue;
    if (ownEntries.length === 0 || status === 0) tally.lost++;
    if (ownEntries.length === 0 || status === 0)
      tally.broken.push(`${id}: call ${number} was answered ${status} and noted ${ownEntries.length} times`);
    else if (ownEntries[0]?.status !== status)
      tally.broken.push(`${id}: call ${number} was answered ${status}, and noted as ${ownEntries[0]?.status}`);
  }
  const strange = [...noted.keys()].filter((number) => !calls.has(number));
  if (strange.length > 0) tally.broken.push(`${id}: ${strange.length} calls of others are in its journal`);
}
