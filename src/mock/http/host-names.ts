/** The three addresses of the service. */
export type HostName = "api" | "app" | "docs";

/** Where the other hosts are answered on the API host too, so that what describes the mock to an examiner names one port. */
export const otherHost = /^\/__mock\/hosts\/(app|docs)(?=[/?]|$)/;
