import type { Schemas } from "learning-platform-client";

export type Purpose = Schemas["FileCreate"]["purpose"];

/** What may be sent somewhere. */
export type UploadRules = {
  /** Bytes of one file. */
  largest: number;
  /** Files. */
  most: number;
  /** Media types as a file field has them, such as `image/*` or `image/png,image/jpeg`; anything without. */
  accept?: string;
};

/** Why a file is not taken: `error` is what the service threw, `said` the words of a file that it has and refused. */
export type Refusal =
  | { why: "EMPTY" }
  | { why: "LARGE"; largest: number }
  | { why: "MANY"; most: number }
  | { why: "KIND"; accept: string }
  | { why: "SERVICE"; error: unknown }
  | { why: "STORED"; code: string | null; said: string };

/** As many as the service takes at one place. */
const mostOf: Record<Purpose, number> = {
  ASSET: 1,
  IMPORT: 1,
  SUBMISSION: 20,
  FEEDBACK: 20,
  POST: 10,
  AVATAR: 1,
  LOGO: 1,
};

const pictures = "image/png,image/jpeg,image/webp";

const acceptedAs: Partial<Record<Purpose, string>> = { AVATAR: pictures, LOGO: pictures };

/** The rules of a purpose; `limits` are the bytes of each as the page has them, empty where no file is taken. */
export function rulesOf(
  purpose: Purpose,
  limits: string,
  accept = acceptedAs[purpose],
): UploadRules | undefined {
  const largest =
    limits === "" ? undefined : (JSON.parse(limits) as Partial<Record<Purpose, number>>)[purpose];
  return largest === undefined ? undefined : { largest, most: mostOf[purpose], ...(accept && { accept }) };
}

/** Why a file cannot be taken, as far as that can be told before it is sent; `room` is for how many more. */
export function refusalBefore(
  { size, type }: Pick<File, "size" | "type">,
  { largest, most, accept }: UploadRules,
  room: number,
): Refusal | undefined {
  if (room <= 0) return { why: "MANY", most };
  if (size === 0) return { why: "EMPTY" };
  if (size > largest) return { why: "LARGE", largest };
  return accept && !fits(type, accept) ? { why: "KIND", accept } : undefined;
}

/** A type that the browser does not know is for the service to judge. */
const fits = (type: string, accept: string): boolean =>
  type === "" ||
  accept
    .split(",")
    .some((one) => (one.endsWith("/*") ? type.startsWith(one.slice(0, -1)) : type === one.trim()));

/** What came from the clipboard, where pictures all have the same name: each with a name of its own. */
export const namedApart = (files: readonly File[], now: Date): File[] =>
  files.map((file, at) => {
    if (!/^image\.\w+$/.test(file.name)) return file;
    const moment = now.toISOString().slice(0, 19).replaceAll(":", "-").replace("T", " ");
    const extension = file.name.slice("image".length);
    return new File([file], `${moment}${at > 0 ? ` ${at + 1}` : ""}${extension}`, { type: file.type });
  });
