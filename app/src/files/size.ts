import { currentLanguage } from "../texts.ts";

const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** Bytes in the reader's language, such as `1.2 MB`. */
export function formatFileSize(bytes: number): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return new Intl.NumberFormat(currentLanguage(), {
    ...{ style: "unit", unit: units[step], unitDisplay: step === 0 ? "long" : "short" },
    maximumFractionDigits: step === 0 ? 0 : 1,
  } as Intl.NumberFormatOptions).format(bytes / 1000 ** step);
}
