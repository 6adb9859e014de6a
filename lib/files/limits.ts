import type { FileCreate } from "../../schema/api/files.ts";
import type { Config } from "../config.ts";
import { wordsOf } from "../error-codes.ts";

type Purpose = FileCreate["purpose"];

const megabyte = 1_000_000;
const gigabyte = 1_000_000_000;

/** The most bytes of one file of each purpose. */
export const largestOf = (config: Config, purpose: Purpose): number =>
  config[`FILE_${purpose}_MAX_MB`] * megabyte;

/** What begin_upload of the database holds. */
export const uploadLimits = (config: Config) => ({
  university_bytes: config.FILE_QUOTA_GB * gigabyte,
  day_bytes: config.FILE_DAILY_GB * gigabyte,
  day_files: config.FILE_DAILY_COUNT,
});

/** Pictures that are taken for a person's or a university's: of dots, since an SVG may hold scripts and styles. */
const pictureKinds = new Set(["image/png", "image/jpeg", "image/webp"]);

/** What runs where it is opened: nobody needs it in a course, and it would come with the service's good name. */
const programs = new Set([
  "application/x-msdownload",
  "application/x-executable",
  "application/x-elf",
  "application/x-mach-binary",
  "application/vnd.microsoft.portable-executable",
]);

const importKinds =
  /^(text\/|application\/(zip|x-zip-compressed|json|xml|gzip)$|application\/x-ole|application\/octet-stream$)/;

/** Why a file of that kind is not taken for a purpose; undefined where it is. Pure. */
export function misfitOf(purpose: Purpose, kind: string): string | undefined {
  if ((purpose === "AVATAR" || purpose === "LOGO") && !pictureKinds.has(kind))
    return wordsOf("file_not_a_picture", { kind });
  if (purpose === "IMPORT" && !importKinds.test(kind)) return wordsOf("file_not_importable", { kind });
  if (programs.has(kind) && purpose !== "SUBMISSION") return wordsOf("file_is_program", { kind });
  return undefined;
}
