/** Durations in milliseconds. */
export const day = 86_400_000;
export const minute = 60_000;
export const second = 1000;
