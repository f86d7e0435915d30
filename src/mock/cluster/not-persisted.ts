/**
 * Returns the error of a mock that cannot acquire a world or persist a change. Nothing was done, and a later try can succeed.
 */
export function notPersistedError(why: string): Error {
  return Object.assign(new Error(why), { name: "NotPersisted" });
}

/** Tells whether an error is of this kind. */
export function isNotPersisted(error: unknown): boolean {
  return error instanceof Error && error.name === "NotPersisted";
}
