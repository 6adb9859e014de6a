import * as z from "zod";
import { cartridgeOutcomes, cartridgePartKinds, cartridgeVersions } from "../../enums.ts";
import { Id, Instant, lowerEnum, paginationOf, RefusalCode, upperEnum, WideId } from "../platform/fields.ts";
import { ReadAs } from "../platform/file-text.ts";
import { listQuery } from "../platform/search-and-sort.ts";

export const CartridgeImportCreate = z
  .object({
    course_id: Id.meta({ description: "The target course" }),
    file_id: WideId.meta({
      description:
        "The cartridge: the caller's READY file of purpose IMPORT for the course or its university",
    }),
    dry_run: z
      .boolean()
      .default(false)
      .meta({ description: "Whether to report the outcome of each part without writing" }),
  })
  .meta({ id: "CartridgeImportCreate", example: { course_id: 1, file_id: 1, dry_run: true } });

const count = (description: string) => z.int().min(0).meta({ description, example: 0 });

export const CartridgeImport = z
  .object({
    id: Id,
    course_id: Id,
    dry_run: z.boolean().meta({ description: "Whether it only reports the outcome of each part" }),
    cartridge_version: z.string().nullable().meta({
      description: "Version of Common Cartridge; null until the manifest is read",
      example: "1.3.0",
    }),
    title: z.string().nullable().meta({ description: "Title of the cartridge", example: "Waves and optics" }),
    total: count("Number of parts; 0 until the manifest is read"),
    done: count("Parts with an outcome"),
    created: count("Parts imported completely"),
    partly: count("Parts imported with omissions"),
    refused: count("Rejected parts, each with a reason"),
    ignored: count("Parts without own content, such as settings of another program"),
    failure: z.string().nullable().meta({ description: "Why the import failed as a whole" }),
    code: RefusalCode,
    created_by_user_id: Id.nullable().meta({ description: "The person who started the import" }),
    created_at: Instant,
    ended_at: Instant.nullable().meta({ description: "When the last part was processed; null until then" }),
  })
  .meta({ id: "CartridgeImport" });

export const CartridgePart = z
  .object({
    number: z.int().meta({ description: "From 0, in outline order; then parts outside the outline" }),
    parent_number: z
      .int()
      .nullable()
      .meta({ description: "The part of the parent module; null at the top of the course" }),
    kind: upperEnum(cartridgePartKinds).meta({ example: "PAGE" }),
    identifier: z.string().meta({ description: "Identifier in the manifest" }),
    title: z.string(),
    path: z.string().nullable().meta({ description: "Path of its content in the archive" }),
    read_as: ReadAs.nullable(),
    outcome: upperEnum(cartridgeOutcomes)
      .nullable()
      .meta({ description: "Outcome of the part; null until it is processed" }),
    became: z.array(z.string()).meta({
      description: "Created objects: names of content types, `module` or `question_pool`",
      example: ["text"],
    }),
    left_out: z.array(z.string()).meta({
      description: "Omitted contents: names of elements, links, or numbers of questions",
      example: ["script"],
    }),
    left_out_codes: z.array(RefusalCode).meta({
      description: "Code for each line of `left_out`, in order; null without one",
      example: ["left_out_element"],
    }),
    reason: z.string().nullable().meta({ description: "Why the part was not imported" }),
    code: RefusalCode,
    module_id: Id.nullable(),
    content_item_ids: z.array(Id),
  })
  .meta({ id: "CartridgePart" });

export const CartridgeImportQuery = listQuery({});

export const CartridgePartQuery = z.strictObject({
  outcome: upperEnum(cartridgeOutcomes).optional(),
  ...paginationOf({ limit: 100, max: 500 }),
});

export const CartridgeExportQuery = z.strictObject({
  version: lowerEnum(cartridgeVersions)
    .default("1.3")
    .meta({ description: "Version of Common Cartridge; more programs read 1.3" }),
});

export type CartridgeImportCreate = z.output<typeof CartridgeImportCreate>;
export type CartridgeImport = z.input<typeof CartridgeImport>;
export type CartridgeImportQuery = z.output<typeof CartridgeImportQuery>;
export type CartridgePart = z.input<typeof CartridgePart>;
export type CartridgePartQuery = z.output<typeof CartridgePartQuery>;
