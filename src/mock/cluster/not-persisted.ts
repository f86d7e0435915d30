interface StoreError extends Error {
  isUnknown: boolean;
}

/**
 * Returns the error of a mock that cannot acquire a world or persist a change. Nothing was done, so the client can try again. With
 * `isUnknown`, the store may have persisted the change.
 */
export function createNotPersistedError(why: string, isUnknown = false): Error {
  return Object.assign(new Error(why), { name: "NotPersisted", isUnknown });
}

/** Returns whether an error was made by `notPersisted`. */
export function isNotPersisted(error: unknown): error is StoreError {
  return error instanceof Error && error.name === "NotPersisted";
}

/** Returns whether a request with this method may have changed something although it got no response. A read changed nothing. */
export function isOutcomeUnknown(error: unknown, method: string | undefined): boolean {
  return isNotPersisted(error) && error.isUnknown && !/^(GET|HEAD|OPTIONS)$/.test(method ?? "");
}

/** Returns the error of a world whose data in the store cannot be read. No later try can succeed. */
export function createUnreadableError(world: string, why: string): Error {
  const path = `/__mock/worlds/${world}`;
  const message = `The data of the world '${world}' in the store cannot be read: ${why}. Delete it with DELETE ${path}, then create it again.`;
  return Object.assign(new Error(message), { name: "Unreadable" });
}

/** Tells whether an error is of this kind. */
export function isUnreadable(error: unknown): error is Error {
  return error instanceof Error && error.name === "Unreadable";
}
