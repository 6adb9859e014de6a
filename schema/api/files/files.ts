import * as z from "zod";
import { filePurposes, fileStates } from "../../enums.ts";
import {
  Id,
  Instant,
  integer,
  list,
  RefusalCode,
  upperEnum,
  WideId,
  WideIdText,
} from "../platform/fields.ts";
import { fileName } from "../platform/file-name.ts";

const Purpose = upperEnum(filePurposes).meta({
  example: "SUBMISSION",
  description: "Purpose of the file, which decides where it can be used",
});

const State = upperEnum(fileStates).meta({
  example: "READY",
  description: "PENDING until uploaded and completed, CHECKING during inspection, REFUSED with `refusal`",
});

const Bytes = integer(1, Number.MAX_SAFE_INTEGER).meta({ example: 48213, format: "int64" });

const Sha256 = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, "Input should be a SHA-256 of 64 hexadecimal digits")
  .transform((hash) => hash.toLowerCase());

const MediaType = z
  .string()
  .max(255, "String should have at most 255 characters")
  .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+( *;.*)?$/, "Input should be a media type such as application/pdf");

const scope = {
  university_id: Id.nullish(),
  course_id: Id.nullish(),
  course_offering_id: Id.nullish(),
  content_item_id: Id.nullish(),
  submission_id: WideId.nullish(),
};

type ScopeField = keyof typeof scope;

/** The allowed combinations of scope fields by purpose. */
const scopesOf: Record<Uppercase<(typeof filePurposes)[number]>, readonly (readonly ScopeField[])[]> = {
  ASSET: [["university_id"], ["course_id"]],
  IMPORT: [["university_id"], ["course_id"]],
  SUBMISSION: [["course_offering_id", "content_item_id"]],
  FEEDBACK: [["submission_id"]],
  POST: [["course_offering_id"]],
  AVATAR: [[]],
  LOGO: [["university_id"]],
};

const scopeFields = Object.keys(scope) as ScopeField[];

/** The first field that is missing, or not allowed for the purpose. */
function misfitIn(purpose: keyof typeof scopesOf, given: Partial<Record<ScopeField, unknown>>) {
  const ways = scopesOf[purpose];
  const named = scopeFields.filter((field) => given[field] !== null && given[field] !== undefined);
  if (ways.some((way) => way.length === named.length && way.every((field) => named.includes(field)))) return;
  const way = ways.find((one) => one.some((field) => named.includes(field))) ?? ways[0] ?? [];
  const missing = way.find((field) => !named.includes(field));
  return missing
    ? { field: missing, message: `Field required for a file of purpose ${purpose}` }
    : {
        field: named.find((field) => !way.includes(field)) ?? "purpose",
        message: `Does not belong to a file of purpose ${purpose}`,
      };
}

export const FileCreate = z
  .object({
    purpose: Purpose,
    name: fileName,
    size: Bytes.meta({ description: "Size in bytes" }),
    media_type: MediaType.meta({
      example: "application/pdf",
      description: "Checked against the uploaded bytes",
    }),
    ...scope,
    sha256: Sha256.nullish().meta({
      description:
        "Expected hash of the bytes; on a mismatch the file is REFUSED. The upload is needed in any case",
      example: null,
    }),
  })
  .superRefine(({ purpose, ...given }, context) => {
    const misfit = misfitIn(purpose, given);
    if (misfit) context.addIssue({ code: "custom", path: [misfit.field], message: misfit.message });
  })
  .meta({
    id: "FileCreate",
    description:
      "ASSET and IMPORT need a university or a course, SUBMISSION an offering and an item, FEEDBACK a " +
      "submission, POST an offering, AVATAR nothing, LOGO a university",
    example: {
      purpose: "ASSET",
      name: "circuit.png",
      size: 48213,
      media_type: "image/png",
      university_id: 1,
    },
  });

/** A part of a large file with its URL; null if it was sent already. */
const Part = z.object({
  number: z.int().meta({ description: "Part number, from 1", example: 1 }),
  offset: z
    .int()
    .meta({ format: "int64", example: 0, description: "Offset of the part in the file, in bytes" }),
  size: z.int().meta({ format: "int64", example: 16777216 }),
  url: z
    .string()
    .nullable()
    .meta({ description: "Address for the part's upload by `method`; null if it was received" }),
  headers: z.record(z.string(), z.string()).meta({ description: "Headers to send exactly as given" }),
});

/** Upload URLs, for the uploader only. */
const Upload = z.object({
  method: z.literal("PUT").meta({ description: "HTTP method of the upload" }),
  url: z.string().nullable().meta({ description: "Upload address; null if the file is sent in `parts`" }),
  headers: z.record(z.string(), z.string()).meta({ description: "Headers to send exactly as given" }),
  expires_at: Instant.meta({
    description: "When the addresses expire. Reading the PENDING file returns new ones",
  }),
  parts: z
    .array(Part)
    .optional()
    .meta({ description: "Parts of a file of at least 100 MB. Send each separately, in any order" }),
});

const facts = {
  id: WideId,
  purpose: Purpose,
  state: State,
  refusal: z.string().nullable().meta({ description: "Why the file is REFUSED", example: null }),
  code: RefusalCode,
  name: z.string().meta({ example: "circuit.png" }),
  media_type: z.string().meta({ example: "image/png" }),
  size: z.int().meta({ example: 48213, format: "int64" }),
  sha256: z
    .string()
    .nullable()
    .meta({ description: "Set after the service has hashed the file", example: null }),
  university_id: Id.nullable(),
  course_id: Id.nullable(),
  course_offering_id: Id.nullable(),
  content_item_id: Id.nullable(),
  submission_id: WideId.nullable(),
  uploaded_by_user_id: Id.nullable(),
  created_at: Instant,
  completed_at: Instant.nullable(),
  is_in_use: z
    .boolean()
    .meta({ description: "Whether the file is used. Unused files are deleted after 24 hours" }),
};

export const StoredFile = z
  .object({
    ...facts,
    upload: Upload.nullable().meta({ description: "Upload instructions for the uploader of a PENDING file" }),
  })
  .meta({ id: "StoredFile" });

export const FileComplete = z
  .object({
    parts: list(integer(1, 10_000), { max: 10_000 })
      .optional()
      .meta({ description: "Numbers of all sent parts. Returns 400 if one is missing" }),
  })
  .meta({ id: "FileComplete", example: {} });

/** A temporary URL of a file that needs no token. */
export const FileAddress = z
  .object({
    url: z.string().meta({ example: "https://files.example.edu/…" }),
    expires_at: Instant.meta({ description: "When the address expires" }),
  })
  .meta({ id: "FileAddress" });

const Inline = z
  .boolean()
  .default(false)
  .meta({
    description:
      "Whether to display the files instead of downloading them, if their type is safe: images, PDF, " +
      "audio, video and plain text",
  });

export const FileContentQuery = z.object({
  inline: z
    .preprocess((given) => (given === "1" ? "true" : given === "0" ? "false" : given), z.stringbool())
    .default(false)
    .meta({
      description:
        "Whether to display the file instead of downloading it, if its type is safe. Accepts `1` and " +
        "`0`, too",
      type: "boolean",
    }),
});

export const FileAddressesAsk = z
  .object({
    ids: list(WideId, { max: 100 }).meta({ example: [1], description: "Ids of at most 100 files" }),
    inline: Inline,
  })
  .meta({ id: "FileAddressesAsk" });

/** URLs of the readable files, in the requested order. */
export const FileAddresses = z.array(
  z
    .object({ id: WideId, name: z.string(), media_type: z.string(), size: z.int().meta({ format: "int64" }) })
    .extend(FileAddress.shape)
    .meta({ id: "AddressOfFile" }),
);

/** A file in the response of its owner. */
export const FileSummary = z
  .object({
    id: WideId,
    name: z.string().nullable().meta({ example: "report.pdf", description: "Null if the file was erased" }),
    media_type: z.string().meta({ example: "application/pdf" }),
    size: z.int().meta({ example: 48213, format: "int64" }),
    sha256: z.string().nullable().meta({ example: null }),
    state: State,
    is_erased: z.boolean().meta({
      example: false,
      description: "Whether the bytes were erased with the uploader's account; size and hash stay on record",
    }),
  })
  .meta({ id: "FileSummary" });

export const fileIds = (max: number) =>
  list(WideId, { max }).refine((ids) => new Set(ids).size === ids.length, "Ids should not repeat");

export const AvatarUpdate = z
  .object({
    file_id: WideId.nullable().meta({ description: "A file of purpose AVATAR; null removes the picture" }),
  })
  .meta({ id: "AvatarUpdate" });

export const Avatar = z
  .object({
    avatar_url: z.string().nullable().meta({ description: "Address of the picture; null without one" }),
  })
  .meta({ id: "Avatar" });

/** 128 random bits. */
export const AvatarPath = z.object({
  token: z
    .string()
    .regex(/^[\w-]{22}$/, "Input should be the last part of an avatar_url")
    .meta({ example: "yTq8n2LhR0aVx3pWmZc1Fg", description: "The last part of the picture's address" }),
});

export const LogoUpdate = z
  .object({
    file_id: WideId.nullable().meta({ description: "A file of purpose LOGO; null removes the logo" }),
  })
  .meta({ id: "LogoUpdate" });

/** 128 random bits. */
export const LogoPath = z.object({
  logo_token: z
    .string()
    .regex(/^[\w-]{22}$/, "Input should be the last part of a logo_url")
    .meta({ example: "yTq8n2LhR0aVx3pWmZc1Fg", description: "The last part of the logo's address" }),
});

export const filePath = z.object({ file_id: WideIdText });

export type FileCreate = z.output<typeof FileCreate>;
export type StoredFile = z.input<typeof StoredFile>;
export type FileUpload = NonNullable<StoredFile["upload"]>;
export type FileAddress = z.input<typeof FileAddress>;
export type FileAddressesAsk = z.output<typeof FileAddressesAsk>;
export type FileAddresses = z.input<typeof FileAddresses>;
export type FileSummary = z.input<typeof FileSummary>;
