const dayMs = 86_400_000;
const hourMs = 3_600_000;
const minuteMs = 60_000;
const secondMs = 1000;

const isoTime = /^([\dW-]+)(?:T([\d:.,]+)(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;
const calendarDate = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?|(\d\d)(\d\d))?$/;
const ordinalDate = /^(\d{4})-?(\d{3})$/;
const weekDate = /^(\d{4})-?W(\d\d)(?:-?([1-7]))?$/i;
const extendedTime = /^(\d\d)(?::(\d\d)(?::(\d\d))?)?(?:[.,](\d+))?$/;
const basicTime = /^(\d\d)(?:(\d\d)(\d\d)?)?(?:[.,](\d+))?$/;

/** A parsed date: its midnight in UTC, and whether a time may follow. A time may not follow a year, month or week. */
interface DateReading {
  ms: number;
  isDay: boolean;
}

/**
 * Parses an ISO 8601 time: extended or basic format, with an offset or in UTC, with fractions, or a date alone (its beginning).
 * Returns whole milliseconds since 1970, or null for any other text.
 */
export function readIso8601(text: string): number | null {
  const [, dateText, timeText, offsetText] = isoTime.exec(text) ?? [];
  const date = dateText === undefined ? null : readDate(dateText);
  if (!date || timeText === undefined) return date?.ms ?? null;
  const time = date.isDay ? readTime(dateText?.includes("-") ? extendedTime : basicTime, timeText) : null;
  const offset = readOffset(offsetText);
  return time === null || offset === null ? null : date.ms + time - offset;
}

function readDate(text: string): DateReading | null {
  const [, year, month, day, basicMonth, basicDay] = calendarDate.exec(text) ?? [];
  if (year !== undefined) return readCalendarDate(year, month ?? basicMonth, day ?? basicDay);
  return readOrdinalDate(text) ?? readWeekDate(text);
}

function readCalendarDate(year: string, month: string | undefined, day: string | undefined): DateReading | null {
  const ms = computeMidnight(Number(year), Number(month ?? 1), Number(day ?? 1));
  const exists = new Date(ms).getUTCMonth() + 1 === Number(month ?? 1) && new Date(ms).getUTCDate() === Number(day ?? 1);
  return exists ? { ms, isDay: day !== undefined } : null;
}

function readOrdinalDate(text: string): DateReading | null {
  const [, year, day] = ordinalDate.exec(text) ?? [];
  const ms = computeMidnight(Number(year), 1, Number(day));
  return Number(day) > 0 && new Date(ms).getUTCFullYear() === Number(year) ? { ms, isDay: true } : null;
}

/** Parses a week date. Weeks begin on Monday, and week 1 contains 4 January. */
function readWeekDate(text: string): DateReading | null {
  const [, year, week, day] = weekDate.exec(text) ?? [];
  const fourth = computeMidnight(Number(year), 1, 4);
  const firstMonday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * dayMs;
  const monday = firstMonday + (Number(week) - 1) * 7 * dayMs;
  // a week belongs to the year of its Thursday
  const exists = Number(week) > 0 && new Date(monday + 3 * dayMs).getUTCFullYear() === Number(year);
  return exists ? { ms: monday + (Number(day ?? 1) - 1) * dayMs, isDay: day !== undefined } : null;
}

/** Parses a time of day. A fraction belongs to the last given unit; 24:00 is the end of the day. */
function readTime(form: RegExp, text: string): number | null {
  const [, hour, minute, second, fraction = ""] = form.exec(text) ?? [];
  if (hour === undefined || Number(hour) > 24 || Number(minute ?? 0) > 59 || Number(second ?? 0) > 59) return null;
  const unitMs = second !== undefined ? secondMs : minute !== undefined ? minuteMs : hourMs;
  const whole = Number(hour) * hourMs + Number(minute ?? 0) * minuteMs + Number(second ?? 0) * secondMs;
  // nine digits at most, so that the product stays exact before it is rounded down
  const ms = whole + Math.floor((Number(fraction.slice(0, 9).padEnd(9, "0")) * unitMs) / 1e9);
  return ms <= dayMs ? ms : null;
}

function readOffset(text: string | undefined): number | null {
  const [, sign, hours, minutes = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(text ?? "Z") ?? [];
  if (hours === undefined) return 0;
  if (Number(hours) > 23 || Number(minutes) > 59) return null;
  const ms = Number(hours) * hourMs + Number(minutes) * minuteMs;
  return sign === "-" ? -ms : ms;
}

/** Returns midnight in UTC. `Date.UTC` would read a year below 100 as 19xx. */
function computeMidnight(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}
