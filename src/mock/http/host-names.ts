/** The addresses of the three hosts. */
export type HostName = "api" | "app" | "docs";

/** Paths of the other hosts on the API host, so that a target file of the mock names only one port. */
export const otherHost = /^\/__mock\/hosts\/(app|docs)(?=[/?]|$)/;
