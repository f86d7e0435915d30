interface StoreError extends Error {
  isUnknown: boolean;
}

/**
 * Returns the error of a mock that cannot acquire a world or persist a change. Nothing was done, and a later try can succeed; with
 * `isUnknown`, the store can have persisted the change.
 */
export function notPersistedError(why: string, isUnknown = false): Error {
  return Object.assign(new Error(why), { name: "NotPersisted", isUnknown });
}

/** Tells whether an error is of this kind. */
export function isNotPersisted(error: unknown): error is StoreError {
  return error instanceof Error && error.name === "NotPersisted";
}

/** Tells whether the mock does not know if a request of this method changed anything. A request that only reads changed nothing. */
export function isOutcomeUnknown(error: unknown, method: string | undefined): boolean {
  return isNotPersisted(error) && error.isUnknown && !/^(GET|HEAD|OPTIONS)$/.test(method ?? "");
}
