import { isAtLocalTime } from "./local-clock.ts";
import { currentLanguage } from "./texts.ts";

/** Numbers in the reader's language. Missing ones are a dash. */
export const formatterWithDashForMissing =
  (format: (value: number) => string) =>
  (value: number | null | undefined): string =>
    value === null || value === undefined ? "–" : format(value);

export const createNumberFormatter = (options: Intl.NumberFormatOptions) =>
  formatterWithDashForMissing((value) => new Intl.NumberFormat(currentLanguage(), options).format(value));

export const formatNumber = createNumberFormatter({});
export const formatToOneDecimal = createNumberFormatter({ maximumFractionDigits: 1 });
/** A fraction from 0 to 1. */
export const formatFractionAsPercent = createNumberFormatter({ style: "percent", maximumFractionDigits: 1 });
/** A number from 0 to 100. */
export const formatPercentOf100 = formatterWithDashForMissing((value) =>
  createNumberFormatter({ style: "percent", maximumFractionDigits: 0 })(value / 100),
);
export const formatSecondsAsMinutes = formatterWithDashForMissing(
  (seconds) => `${formatToOneDecimal(seconds / 60)} min`,
);

const moment = (options: Intl.DateTimeFormatOptions) => (instant: string | Date) =>
  new Intl.DateTimeFormat(currentLanguage(), options).format(new Date(instant));

export const formatDay = moment({ dateStyle: "medium" });
export const formatDayAndTime = moment({ dateStyle: "medium", timeStyle: "short" });

/** The day alone if the local time is the usual one, which people leave out. */
const dayUnlessAt = (usual: string) => (instant: string) =>
  isAtLocalTime(instant, usual) ? formatDay(instant) : formatDayAndTime(instant);

/** A moment until which something is possible. The end of a day is named by the day. */
export const formatDeadlineOmittingDayEnd = dayUnlessAt("23:59");
/** A moment from which something is possible. The beginning of a day is named by the day. */
export const formatOpeningOmittingMidnight = dayUnlessAt("00:00");

/** `in 5 seconds`, in the largest unit with a count above one. */
export function formatSecondsFromNow(seconds: number): string {
  const [unit, length] = units.find(([, its]) => seconds > its) ?? (["second", 1] as const);
  return new Intl.RelativeTimeFormat(currentLanguage()).format(Math.ceil(seconds / length), unit);
}

const units = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** Remaining seconds as `4:05`. */
export function formatSecondsAsClock(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** A report's day (`2026-03-01`) is in UTC. */
const dayOfReport = (options: Intl.DateTimeFormatOptions) => {
  const format = moment({ ...options, timeZone: "UTC" });
  return (date: string) => format(`${date}T00:00:00Z`);
};
export const formatReportDayShort = dayOfReport({ day: "numeric", month: "short" });
export const formatReportDay = dayOfReport({ dateStyle: "medium" });
