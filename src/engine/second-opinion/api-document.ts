/** The OpenAPI document of a REST API, for an independent validator. */
export interface ApiDocument {
  /** Returns the published OpenAPI document. */
  content(): object;
  /** Returns whether a path belongs to this API, even if no operation has the path. */
  covers(path: string): boolean;
  /** Returns the operation for a method and a path without a query; undefined if there is none. */
  operationOf(method: string, path: string): string | undefined;
}
