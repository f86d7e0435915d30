const LINE_END = /\r\n|\n|\r/;
const EVENT_END = /(?:\r\n|\n|\r(?!\n)){2}/;
const LONGEST_END = 4;

/** Whether headers announce a stream of server-sent events. */
export function isEventStream(headers: Readonly<Record<string, string>>): boolean {
  return /^text\/event-stream\b/i.test(headers["content-type"] ?? "");
}

/** The data of each message in a stream of server-sent events; one that the stream breaks off in is none. */
export function eventMessages(stream: string): string[] {
  return stream.split(EVENT_END).slice(0, -1).flatMap(messageIn);
}

/** Whether the events of a stream are numbered, so that a client may ask for the rest of a stream that ended early. */
export function isResumable(stream: string): boolean {
  return stream.split(LINE_END).some((line) => line.startsWith("id:"));
}

/** Listens to a stream piece by piece: each piece gives the messages that it completes, wherever the stream was cut. */
export function openEventReader(): (piece: Uint8Array) => string[] {
  const decoder = new TextDecoder();
  let pending: string[] = [];
  let tail = "";
  return (piece) => {
    const text = decoder.decode(piece, { stream: true });
    pending.push(text);
    const ended = EVENT_END.test(tail + text);
    tail = (tail + text).slice(-LONGEST_END);
    if (!ended) return [];
    const events = pending.join("").split(EVENT_END);
    pending = events.slice(-1);
    return events.slice(0, -1).flatMap(messageIn);
  };
}

/** An event's data lines are joined by line ends. Events of a type of their own are no messages of the protocol. */
function messageIn(event: string): string[] {
  const lines = event.split(LINE_END);
  const valuesOf = (field: string) =>
    lines.filter((line) => line.startsWith(field)).map((line) => line.slice(field.length).trim());
  const data = valuesOf("data:");
  const type = valuesOf("event:").at(-1) ?? "message";
  return data.length > 0 && type === "message" ? [data.join("\n")] : [];
}
