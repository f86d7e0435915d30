/** The document of a contract's REST API, which another validator can judge by. */
export interface ApiDocument {
  /** OpenAPI, as it is published. */
  content(): object;
  /** Whether it speaks of a path at all, be there such an operation or not. */
  covers(path: string): boolean;
  /** The operation of a request, by its method and its path without a query; undefined when there is none. */
  operationOf(method: string, path: string): string | undefined;
}
