interface StoreError extends Error {
  isUnknown: boolean;
}

/**
 * Returns the error of a mock that cannot acquire a world or persist a change. Nothing was done, so the client can try again. With
 * `isUnknown`, the store may have persisted the change.
 */
export function notPersistedError(why: string, isUnknown = false): Error {
  return Object.assign(new Error(why), { name: "NotPersisted", isUnknown });
}

/** Returns whether an error was made by `notPersisted`. */
export function isNotPersisted(error: unknown): error is StoreError {
  return error instanceof Error && error.name === "NotPersisted";
}

/** Returns whether a request with this method may have changed something although it got no answer. A read changed nothing. */
export function isOutcomeUnknown(error: unknown, method: string | undefined): boolean {
  return isNotPersisted(error) && error.isUnknown && !/^(GET|HEAD|OPTIONS)$/.test(method ?? "");
}
