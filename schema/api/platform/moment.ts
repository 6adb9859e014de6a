/** ISO 8601 with an offset of at most 14 hours; seconds and fractions are optional. */
const spelling =
  /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d(?:\.\d{1,30})?)?(Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)$/;

/**
 * A timestamp as stored and returned: UTC with milliseconds. Undefined unless database and JavaScript both
 * accept it: years 1 to 9999 in UTC, existing days.
 */
export function momentOf(text: string): string | undefined {
  const [, day, minute, second = ":00", offset] = spelling.exec(text) ?? [];
  if (!day || !isOfCalendar(day)) return undefined;
  const moment = new Date(`${day}T${minute}${second}${offset}`);
  const year = moment.getUTCFullYear();
  return year >= 1 && year <= 9999 ? moment.toISOString() : undefined;
}

/** JavaScript would read 30 February as 2 March. */
const isOfCalendar = (day: string): boolean => {
  const read = new Date(`${day}T00:00Z`);
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(day);
};
