/** ISO 8601, in extended or basic format, down to a date, a month or a year. */
const ISO =
  /^(?<y>\d{4})(-?(?<mo>\d\d)(-?(?<d>\d\d)([T ](?<h>\d\d)(:?(?<mi>\d\d)(:?(?<s>\d\d)([.,](?<f>\d+))?)?)?(?<zone>Z|[+-]\d\d(:?\d\d)?)?)?)?)?$/i;

/** Returns whether a text is a time. One without an offset counts only if it is read as UTC. */
export function isTime(text: string, zoneless: boolean): boolean {
  const { zone } = ISO.exec(text)?.groups ?? {};
  return !Number.isNaN(timeIn(text)) && (zoneless || zone !== undefined);
}

/** The time in a text, in milliseconds; NaN without one. */
export function timeIn(text: string): number {
  const found = ISO.exec(text)?.groups;
  if (!found) return Number.NaN;
  const { y, mo = "01", d = "01", h = "00", mi = "00", s = "00", f = "0", zone = "Z" } = found;
  const [, sign, hours, minutes = "00"] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const offset = sign ? `${sign}${hours}:${minutes}` : "Z";
  const day = new Date(`${y}-${mo}-${d}T00:00:00Z`);
  if (Number.isNaN(day.getTime()) || day.getUTCDate() !== Number(d)) return Number.NaN;
  return Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}.${f.slice(0, 3).padEnd(3, "0")}${offset}`);
}
