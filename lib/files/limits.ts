import type { FileCreate } from "../../schema/api/files/files.ts";
import type { Config } from "../config.ts";
import { encodeStoredReason, type StoredReason } from "../platform/results/stored-reason.ts";

type Purpose = FileCreate["purpose"];

const megabyte = 1_000_000;
const gigabyte = 1_000_000_000;

export const maxFileBytes = (config: Config, purpose: Purpose): number =>
  config[`FILE_${purpose}_MAX_MB`] * megabyte;

/** The function begin_upload_within_limits enforces them. */
export const uploadLimits = (config: Config) => ({
  university_bytes: config.FILE_QUOTA_GB * gigabyte,
  day_bytes: config.FILE_DAILY_GB * gigabyte,
  day_files: config.FILE_DAILY_COUNT,
});

/** Bitmaps only: an SVG may contain scripts and styles. */
const pictureKinds = new Set(["image/png", "image/jpeg", "image/webp"]);

/** Courses do not need executables, and downloads would look trustworthy. */
const programs = new Set([
  "application/x-msdownload",
  "application/x-executable",
  "application/x-elf",
  "application/x-mach-binary",
  "application/vnd.microsoft.portable-executable",
]);

const importKinds =
  /^(text\/|application\/(zip|x-zip-compressed|json|xml|gzip)$|application\/x-ole|application\/octet-stream$)/;

/** Why a purpose does not accept a kind, if so. Pure. */
export function mediaTypeRejectionReason(purpose: Purpose, kind: string): StoredReason | undefined {
  if ((purpose === "AVATAR" || purpose === "LOGO") && !pictureKinds.has(kind))
    return encodeStoredReason("file_not_a_picture", { kind });
  if (purpose === "IMPORT" && !importKinds.test(kind))
    return encodeStoredReason("file_not_importable", { kind });
  if (programs.has(kind) && purpose !== "SUBMISSION") return encodeStoredReason("file_is_program", { kind });
  return undefined;
}
