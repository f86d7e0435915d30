const LINE_END = /\r\n|\n|\r/;
const EVENT_END = /(?:\r\n|\n|\r(?!\n)){2}/;
const MAX_LINE_END_BYTES = 4;

/** Tells whether headers announce a stream of server-sent events. */
export function isEventStream(headers: Readonly<Record<string, string>>): boolean {
  return /^text\/event-stream\b/i.test(headers["content-type"] ?? "");
}

/** Returns the data of each complete message in a stream of server-sent events. */
export function parseEvents(stream: string): string[] {
  return openEventReader()(new TextEncoder().encode(stream));
}

/** Tells whether the events of a stream have ids, so that a client can resume a stream that ended early. */
export function isResumable(stream: string): boolean {
  return stream.split(LINE_END).some((line) => line.startsWith("id:"));
}

/** Opens a reader of a stream that comes in chunks. For each chunk it returns the data of the messages that the chunk completes. */
export function openEventReader(): (chunk: Uint8Array) => string[] {
  const decoder = new TextDecoder();
  let pending: string[] = [];
  let tail = "";
  return (chunk) => {
    const text = decoder.decode(chunk, { stream: true });
    pending.push(text);
    const hasEnded = EVENT_END.test(tail + text);
    tail = (tail + text).slice(-MAX_LINE_END_BYTES);
    if (!hasEnded) return [];
    const events = pending.join("").split(EVENT_END);
    pending = events.slice(-1);
    return events.slice(0, -1).flatMap(parseMessage);
  };
}

/** Returns the data of an event, its lines joined by line feeds. Events of a type other than `message` have none. */
function parseMessage(event: string): string[] {
  const lines = event.split(LINE_END);
  const getValues = (field: string) =>
    lines.filter((line) => line.startsWith(field)).map((line) => line.slice(field.length).trim());
  const data = getValues("data:");
  const type = getValues("event:").at(-1) ?? "message";
  return data.length > 0 && type === "message" ? [data.join("\n")] : [];
}
