import type { Schemas } from "learning-platform-client";

export type UploadPurpose = Schemas["FileCreate"]["purpose"];

export type UploadRules = {
  /** Bytes of one file. */
  largest: number;
  /** Number of files. */
  most: number;
  /** An `accept` attribute, such as `image/*`, `image/png,image/jpeg` or `.zip`. Absent: any type. */
  accept?: string;
};

/**
 * Why a file is rejected. `error` is the request's error; `said` is the message of a stored file that failed
 * its check.
 */
export type UploadRefusal =
  | { why: "EMPTY" }
  | { why: "LARGE"; largest: number }
  | { why: "MANY"; most: number }
  | { why: "KIND"; accept: string }
  | { why: "SERVICE"; error: unknown }
  | { why: "STORED"; code: string | null; said: string };

/** The service's limits by purpose. */
const maxFilesByPurpose: Record<UploadPurpose, number> = {
  ASSET: 1,
  IMPORT: 1,
  SUBMISSION: 20,
  FEEDBACK: 20,
  POST: 10,
  AVATAR: 1,
  LOGO: 1,
};

const pictures = "image/png,image/jpeg,image/webp";

const acceptedAs: Partial<Record<UploadPurpose, string>> = { AVATAR: pictures, LOGO: pictures };

/** The rules of a purpose. `limits` has the bytes by purpose; it is empty if uploads are off. */
export function uploadRulesForPurpose(
  purpose: UploadPurpose,
  limits: string,
  accept = acceptedAs[purpose],
): UploadRules | undefined {
  const largest =
    limits === "" ? undefined : (JSON.parse(limits) as Partial<Record<UploadPurpose, number>>)[purpose];
  return largest === undefined
    ? undefined
    : { largest, most: maxFilesByPurpose[purpose], ...(accept && { accept }) };
}

/** Checks a file before the upload. `room` is the number of files that still fit. */
export function findUploadRefusal(
  { size, type, name = "" }: Pick<File, "size" | "type"> & { name?: string },
  { largest, most, accept }: UploadRules,
  room: number,
): UploadRefusal | undefined {
  if (room <= 0) return { why: "MANY", most };
  if (size === 0) return { why: "EMPTY" };
  if (size > largest) return { why: "LARGE", largest };
  return accept && !fits(type, name, accept) ? { why: "KIND", accept } : undefined;
}

/** The service decides about types that the browser does not know. */
const fits = (type: string, name: string, accept: string): boolean =>
  type === "" || accept.split(",").some((one) => fitsOne(type, name.toLowerCase(), one.trim()));

function fitsOne(type: string, name: string, accepted: string): boolean {
  if (accepted.startsWith(".")) return name.endsWith(accepted);
  return accepted.endsWith("/*") ? type.startsWith(accepted.slice(0, -1)) : type === accepted;
}

/** Gives pasted pictures, which all have the same name, distinct names. */
export const withUniquePastedPictureNames = (files: readonly File[], now: Date): File[] =>
  files.map((file, at) => {
    if (!/^image\.\w+$/.test(file.name)) return file;
    const moment = now.toISOString().slice(0, 19).replaceAll(":", "-").replace("T", " ");
    const extension = file.name.slice("image".length);
    return new File([file], `${moment}${at > 0 ? ` ${at + 1}` : ""}${extension}`, { type: file.type });
  });
