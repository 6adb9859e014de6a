/** Creating a formatter costs a hundred times as much as formatting. Zones have many spellings. */
const formatters = new Map<string, Intl.DateTimeFormat>();
const formattersKept = 1000;

function formatterOf(tag: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([tag, options]);
  const found = formatters.get(key) ?? newFormatter(tag, options);
  if (formatters.size >= formattersKept) formatters.clear();
  formatters.set(key, found);
  return found;
}

/** In UTC if this version of Node does not know the zone. */
function newFormatter(tag: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(tag, options);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return new Intl.DateTimeFormat(tag, { ...options, timeZone: "UTC" });
  }
}

/** A moment in an IANA time zone: `2026-03-10`, `21:00` and `GMT+9`. */
export function localTime(moment: string, timeZone: string): { day: string; time: string; zone: string } {
  const parts = formatterOf("en-CA", {
    ...{ timeZone, timeZoneName: "short", hourCycle: "h23", calendar: "iso8601" },
    ...{ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" },
  }).formatToParts(new Date(moment));
  const part = (wanted: Intl.DateTimeFormatPartTypes) =>
    parts.find(({ type }) => type === wanted)?.value ?? "";
  return {
    day: [part("year"), part("month"), part("day")].join("-"),
    time: [part("hour"), part("minute")].join(":"),
    zone: part("timeZoneName"),
  };
}

/** `10 March 2026` in a language. */
export const formatLongDay = (moment: string, timeZone: string, tag: string): string =>
  formatterOf(tag, { dateStyle: "long", timeZone }).format(new Date(moment));

/** `10 March 2026, 21:00 GMT+9` in a language. */
export function formatLongDateTime(moment: string, timeZone: string, tag: string): string {
  const words = formatterOf(tag, { dateStyle: "long", timeStyle: "short", timeZone }).format(
    new Date(moment),
  );
  return `${words.replace(" at ", ", ")} ${localTime(moment, timeZone).zone}`;
}
